import { relative, resolve } from 'node:path';
import type { JobDescription } from '../../bulk/journal/description.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { placesIn } from '../../bulk/record-place.ts';
import { summarize } from '../../bulk/summary.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { commandForRejects } from '../bulk/again.ts';
import { showSummary } from '../bulk/show.ts';
import { failureOf } from '../bulk/verdict.ts';
import type { Context } from '../context.ts';
import { statusOf } from './status.ts';
import { optionsFor } from './target-context.ts';

/** Prints the summary of a job that is done, and fails as its last run did. */
export async function showDone(
  context: Context,
  entry: OperationEntry,
  description: JobDescription,
  journal: Journal,
): Promise<void> {
  const { noun } = bulkFieldsOf(await loadOperation(entry.resource, entry.name));
  const status = statusOf(journal, 'done');
  const noted = journal.fact('done')?.rejects ?? null;
  const written = noted === null ? undefined : (journal.fact('rejects') ?? undefined);
  const rejects = written ? pathFrom(context.cwd, written.path, noted) : noted;
  const summary = summarize({
    ...{ operation: description.operation, job: description.job, total: status.total, counts: status },
    ...{ requests: status.requests, retries: status.retries },
    seconds: Math.round((status.metrics?.seconds ?? 0) * 1000) / 1000,
    rejects,
    items: journal.items(),
    place: placesIn(description.inputs),
  });
  journal.close();
  await showSummary(context, noun, summary);
  const options = optionsFor(context.options, description.target);
  const again = written && rejects !== null ? commandForRejects(options, description, written, rejects) : undefined;
  const failure = failureOf(summary, { noun, stop: undefined, resumable: false, again });
  if (failure !== undefined) throw failure;
}

/** A file as it may be named in a folder: as it was noted, where that means it there too. */
function pathFrom(cwd: string, path: string, noted: string | null): string {
  return noted !== null && resolve(cwd, noted) === path ? noted : relative(cwd, path);
}
