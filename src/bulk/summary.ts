import type { JobDescription } from './journal/job-description.ts';
import type { Journal } from './journal/journal.ts';
import type { ExistingCounts, OrganizationCounts } from './journal/outcomes.ts';
import { createRecordLocator, type RecordPosition } from './record-position.ts';

export interface FailureLine extends RecordPosition {
  readonly id: string;
  readonly message: string | null;
  readonly code: string | null;
}

/**
 * The outcome of a job in JSON output. `total` is the sum of `succeeded`, `failed`, `unknown`, and
 * `skipped`.
 */
export interface BulkSummary {
  readonly operation: string;
  readonly job: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  /** Succeeded records by effect. Absent if the service treats new and existing records alike. */
  readonly created?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly existing?: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  readonly retries: number;
  readonly seconds: number;
  readonly failures: readonly FailureLine[];
  readonly failuresTruncated: boolean;
  readonly rejects: string | null;
  /** The first organizations, if the records name them. */
  readonly organizations?: readonly OrganizationCounts[];
}

const MAX_FAILURES = 100;

interface JobOutcome
  extends ExistingCounts,
    Pick<
      BulkSummary,
      'succeeded' | 'failed' | 'unknown' | 'requests' | 'retries' | 'seconds' | 'rejects'
    > {
  /** Whether the service rejects existing records. If so, each success created a record. */
  readonly refusesExisting: boolean;
}

/** Summarizes a job, whose journal must be open. Records without an outcome count as skipped. */
export function summarize(
  { operation, job, records, leftOut, inputs }: JobDescription,
  journal: Journal,
  { refusesExisting, rejects, ...outcome }: JobOutcome,
): BulkSummary {
  const { succeeded, failed, unknown, existing, updated, unchanged, requests, retries } = outcome;
  const total = records + leftOut;
  const created = succeeded - updated - unchanged;
  const locate = createRecordLocator(inputs);
  const organizations = journal.getFact('organizations');
  const failures = journal
    .unsuccessfulRecords()
    .take(MAX_FAILURES)
    .map(({ at, id, line, message, code }) => ({ id, ...locate(at, line), message, code }))
    .toArray();
  return {
    operation,
    job,
    total,
    succeeded,
    failed,
    unknown,
    skipped: total - succeeded - failed - unknown,
    ...(refusesExisting && { created, updated, unchanged, existing }),
    requests,
    retries,
    seconds: Math.round(outcome.seconds * 1000) / 1000,
    failures,
    failuresTruncated: failed + unknown > failures.length,
    rejects,
    ...(organizations && { organizations }),
  };
}
