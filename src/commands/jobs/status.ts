import { damaged } from '../../bulk/journal/database.ts';
import type { JobDescription } from '../../bulk/journal/description.ts';
import type { JobRun, Journal } from '../../bulk/journal/journal.ts';
import type { SavedMetrics } from '../../bulk/journal/metrics.ts';
import { nameOfAll } from '../../bulk/record-place.ts';
import type { BulkSummary } from '../../bulk/summary.ts';

/** How far a job is. The four counts are its total, but for one that runs: there, what is missing is under way or to come. */
export interface JobStatus
  extends Pick<
    BulkSummary,
    'operation' | 'total' | 'succeeded' | 'failed' | 'unknown' | 'skipped' | 'requests' | 'retries'
  > {
  readonly id: string;
  readonly state: 'running' | 'stopped' | 'done';
  /** As the input is called: a path as it was given, `stdin`, or several of these. */
  readonly input: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** The end, or the last sign of life. */
  readonly updatedAt: string;
  readonly description: JobDescription;
  readonly run: JobRun | undefined;
  readonly metrics: SavedMetrics | undefined;
}

export function statusOf(journal: Journal, state: JobStatus['state']): JobStatus {
  const description = journal.fact('job');
  if (!description) throw damaged(journal.path);
  const [run, metrics, counts] = [journal.fact('run'), journal.fact('metrics'), journal.counts()];
  const { records, leftOut, startedAt } = description;
  const { succeeded, failed, open } = counts;
  // What was in flight when a run was killed may have been written.
  const unknown = counts.unknown + (state === 'running' ? 0 : open);
  const unsent = state === 'running' ? 0 : records - succeeded - failed - unknown;
  return {
    ...{ id: description.job, operation: description.operation, state, input: nameOfAll(description.inputs) },
    ...{ total: records + leftOut, succeeded, failed, unknown, skipped: leftOut + unsent },
    requests: counts.requests + (metrics?.strayRequests ?? 0),
    retries: counts.retries + (metrics?.strayRetries ?? 0),
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(run?.endedAt ?? startedAt).toISOString(),
    ...{ description, run, metrics },
  };
}
