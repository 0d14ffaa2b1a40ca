import type { ExistingCounts } from './existing-records.ts';
import type { UnsuccessfulRecord } from './journal/unsuccessful-records.ts';
import type { LocateRecord, RecordPosition } from './record-position.ts';

export interface FailureLine extends RecordPosition {
  readonly id: string;
  readonly message: string | null;
  readonly code: string | null;
}

/** The outcome of a job in JSON output. `total` is the sum of `succeeded`, `failed`, `unknown`, and `skipped`. */
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
  /** Skipped records that the service already has. */
  readonly existing?: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  readonly retries: number;
  readonly seconds: number;
  /** The first failed and unknown records. */
  readonly failures: readonly FailureLine[];
  readonly failuresTruncated: boolean;
  readonly rejects: string | null;
}

const MAX_FAILURES = 100;

interface EndedJob
  extends Pick<BulkSummary, 'operation' | 'job' | 'total' | 'requests' | 'retries' | 'seconds' | 'rejects'> {
  readonly counts: ExistingCounts & Readonly<Record<'succeeded' | 'failed' | 'unknown', number>>;
  /** Whether the service rejects existing records. If so, each success created a record. */
  readonly refusesExisting: boolean;
  /** The unsuccessful records, in the order of the input. */
  readonly items: Iterable<UnsuccessfulRecord>;
  readonly locate: LocateRecord;
}

/** Summarizes a job. Records without an outcome count as skipped. */
export function summarize({ operation, job, total, counts, items, locate, ...ended }: EndedJob): BulkSummary {
  const { succeeded, failed, unknown, existing, updated, unchanged } = counts;
  const created = succeeded - updated - unchanged;
  const failures = firstFailures(items, locate);
  return {
    ...{ operation, job, total, succeeded, failed, unknown, skipped: total - succeeded - failed - unknown },
    ...(ended.refusesExisting && { created, updated, unchanged, existing }),
    ...{ requests: ended.requests, retries: ended.retries, seconds: ended.seconds },
    ...{ failures, failuresTruncated: failed + unknown > failures.length, rejects: ended.rejects },
  };
}

function firstFailures(items: Iterable<UnsuccessfulRecord>, locate: LocateRecord): readonly FailureLine[] {
  const failures: FailureLine[] = [];
  for (const { at, id, line, message, code } of items) {
    failures.push({ id, ...locate(at, line), message, code });
    if (failures.length === MAX_FAILURES) break;
  }
  return failures;
}
