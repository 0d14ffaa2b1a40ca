import type { StopReason } from '../../bulk/batch-request.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { shortPath } from '../../kernel/named-file.ts';
import { formatNounCount, groupDigits, pluralize } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { printFailures } from '../bulk/print-summary.ts';
import { countRecords, type DossierRun, listFiles, ORGANIZATION } from './dossier-run.ts';
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
  if (complete || succeeded > 0 || records > 0)
    await stdout.write(await formatMessage(text, stdout));
  await printFailures(context, summary);
  const ofService = USER_DATA_LISTS.reduce((sum, list) => sum + (counts[list] ?? 0), 0);
  if (complete && ofService === 0)
    await context.warn(
      `the service has no data of ${quoteId(userId)}; a user ID that does not exist gives the same result`,
    );
}

const MAX_NAMED = 3;

/** Creates the error of a run. Returns `undefined` if every organization was read to its end. */
export function createDossierError(
  { job, total, succeeded, failed, failures }: BulkSummary,
  stop: StopReason | undefined,
): unknown {
  const isRejected = stop?.kind === 'fatal' && stop.error.failure === 'unauthenticated';
  const next = hint`${isRejected ? 'renew the auth token; ' : ''}to resume, run ${step('resume', 'jobs', 'resume', job)}`;
  const ofTotal = `of ${groupDigits(total)} ${total === 1 ? ORGANIZATION : pluralize(ORGANIZATION)}`;
  const unread = `${groupDigits(total - succeeded)} ${ofTotal} not read`;
  if (stop?.kind === 'signal')
    return stop.reason instanceof SvcError
      ? stop.reason.reworded({ message: `${stop.reason.message}, ${unread}`, hint: next })
      : stop.reason;
  if (stop?.kind === 'broken') {
    const { message } = stop.error;
    return stop.error.reworded({
      message: total > succeeded ? `${message}, ${unread}` : message,
      hint: next,
    });
  }
  if (failed === 0) return undefined;
  const named = failures
    .slice(0, MAX_NAMED)
    .map(({ id, message, code }) => `${quoteId(id)}: ${message}${statusOf(code)}`);
  const others = failed > MAX_NAMED ? `; and ${groupDigits(failed - MAX_NAMED)} more` : '';
  const left = total - succeeded - failed;
  const notTried = left > 0 ? `, and left ${groupDigits(left)}` : '';
  return new SvcError(
    'stopped',
    `could not read ${groupDigits(failed)} ${ofTotal}${notTried}: ${named.join('; ')}${others}`,
    {
      hint: next,
      ...(stop?.kind === 'fatal' && { cause: stop.error }),
    },
  );
}

/** Returns the status of the service in brackets; nothing for a failure that svc found itself. */
function statusOf(code: string | null): string {
  return code !== null && /^[A-Z]/.test(code) ? ` (${code})` : '';
}
