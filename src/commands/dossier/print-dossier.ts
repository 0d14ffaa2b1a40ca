import type { BulkSummary } from '../../bulk/summary.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { shortPath } from '../../kernel/named-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { printFailures } from '../bulk/print-summary.ts';
import { ORGANIZATION } from './dossier-operation.ts';
import { countRecords, type DossierRun, listFiles } from './dossier-run.ts';
import { USER_DATA_LISTS } from './read-organization.ts';

/** Prints the summary of a run, and in JSON the counts of the dossier. */
export async function printDossier(
  run: DossierRun,
  summary: BulkSummary,
  complete: boolean,
): Promise<void> {
  const { context, plan } = run;
  const { total, succeeded, failed, unknown, skipped, requests, seconds } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const files = listFiles(run);
  const counts = countRecords(files);
  const records = files.reduce((sum, file) => sum + file.records, 0);
  const { userId, folder } = plan;
  if ((await context.format()) !== 'table' || context.options.fields)
    return (await context.printer()).value(
      { ...summary, complete, userId, folder, records, counts },
      {},
    );
  const { stdout } = context.io;
  const place = complete
    ? formatNounCount(total, ORGANIZATION)
    : `${succeeded} of ${formatNounCount(total, ORGANIZATION)}`;
  const text = `Saved ${formatNounCount(records, 'record')} of ${quoteId(userId)} in ${place} to ${shortPath(folder, context.cwd)} (${formatNounCount(requests, 'request')}, ${formatElapsed(seconds)})`;
  await stdout.write(await formatMessage(text, stdout));
  await printFailures(context, summary);
  const ofService = USER_DATA_LISTS.reduce((sum, list) => sum + (counts[list] ?? 0), 0);
  if (complete && ofService === 0)
    await context.warn(
      `the service has no data of ${quoteId(userId)}; a user ID that does not exist gives the same result`,
    );
}
