import type { JobDescription } from '../../bulk/journal/description.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { placesIn } from '../../bulk/record-place.ts';
import { summarize } from '../../bulk/summary.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { showSummary } from '../bulk/show.ts';
import { failureOf } from '../bulk/verdict.ts';
import type { Context } from '../context.ts';
import { statusOf } from './status.ts';

/** Prints the summary of a job that is done, and fails as its last run did. */
export async function showDone(
  context: Context,
  entry: OperationEntry,
  description: JobDescription,
  journal: Journal,
): Promise<void> {
  const { noun } = bulkFieldsOf(await loadOperation(entry.resource, entry.name));
  const status = statusOf(journal, 'done');
  const summary = summarize({
    ...{ operation: description.operation, job: description.job, total: status.total, counts: status },
    ...{ requests: status.requests, retries: status.retries },
    seconds: Math.round((status.metrics?.seconds ?? 0) * 1000) / 1000,
    rejects: journal.fact('done')?.rejects ?? null,
    items: journal.items(),
    place: placesIn(description.inputs),
  });
  journal.close();
  await showSummary(context, noun, summary);
  const failure = failureOf(summary, { noun, stop: undefined, resumable: false });
  if (failure !== undefined) throw failure;
}
