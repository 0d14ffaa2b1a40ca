import { damagedError } from '../../bulk/journal/database.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import { joinFileNames } from '../../bulk/record-position.ts';

export type JobStatus = ReturnType<typeof readStatus>;

/**
 * Reads the progress of a job. Unless it is running, the succeeded, failed, unknown, and skipped records add up to
 * `total`. Times are RFC 3339; `updatedAt` is the end of the last run, or its last recorded activity.
 */
export function readStatus(journal: Journal, state: 'running' | 'stopped' | 'done') {
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
