import type { ExistingCounts } from '../../bulk/existing-records.ts';
import { damagedError } from '../../bulk/journal/database.ts';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import type { JobRunTimes, Journal } from '../../bulk/journal/journal.ts';
import type { SavedMetrics } from '../../bulk/journal/metrics.ts';
import { joinFileNames } from '../../bulk/record-position.ts';
import type { BulkSummary } from '../../bulk/summary.ts';

/** Progress of a job. Unless it is running, the succeeded, failed, unknown, and skipped records add up to `total`. */
export interface JobStatus
  extends ExistingCounts,
    Pick<BulkSummary, 'operation' | 'total' | 'succeeded' | 'failed' | 'unknown' | 'skipped' | 'requests' | 'retries'> {
  readonly id: string;
  readonly state: 'running' | 'stopped' | 'done';
  /** Paths of the input files as given on the command line, or `stdin`. */
  readonly input: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** End of the last run, or its last recorded activity. */
  readonly updatedAt: string;
  readonly description: JobDescription;
  readonly run: JobRunTimes | undefined;
  readonly metrics: SavedMetrics | undefined;
}

export function readStatus(journal: Journal, state: JobStatus['state']): JobStatus {
  const description = journal.getFact('job');
  if (!description) throw damagedError(journal.path);
  const [run, metrics, counts] = [journal.getFact('run'), journal.getFact('metrics'), journal.counts()];
  const { records, leftOut, startedAt } = description;
  const { succeeded, failed, open, existing, updated, unchanged } = counts;
  // Records that were in flight when a run was killed may have been applied.
  const unknown = counts.unknown + (state === 'running' ? 0 : open);
  const unsent = state === 'running' ? 0 : records - succeeded - failed - unknown - existing;
  return {
    ...{ id: description.job, operation: description.operation, state, input: joinFileNames(description.inputs) },
    ...{ total: records + leftOut, succeeded, failed, unknown, skipped: leftOut + unsent + existing },
    ...{ existing, updated, unchanged },
    requests: counts.requests + (metrics?.strayRequests ?? 0),
    retries: counts.retries + (metrics?.strayRetries ?? 0),
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(run?.endedAt ?? startedAt).toISOString(),
    ...{ description, run, metrics },
  };
}
