import type { Item } from './journal/items.ts';
import type { PlaceOf, RecordPlace } from './record-place.ts';

export interface FailureLine extends RecordPlace {
  readonly id: string;
  readonly message: string | null;
  readonly code: string | null;
}

/** The outcome of a job as scripts read it. `total` is the sum of the four counts. */
export interface BulkSummary {
  readonly operation: string;
  readonly job: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  /** Requests that were sent, repeated ones included. */
  readonly requests: number;
  readonly retries: number;
  readonly seconds: number;
  /** The first failed and unknown records. */
  readonly failures: readonly FailureLine[];
  readonly failuresTruncated: boolean;
  /** The path of the rejects file, where one was written. */
  readonly rejects: string | null;
}

const MOST_FAILURES = 100;

interface Ended
  extends Pick<BulkSummary, 'operation' | 'job' | 'total' | 'requests' | 'retries' | 'seconds' | 'rejects'> {
  readonly counts: Readonly<Record<'succeeded' | 'failed' | 'unknown', number>>;
  /** Records that did not simply succeed, in the order of the input. */
  readonly items: Iterable<Item>;
  readonly place: PlaceOf;
}

/** Sums up a job. What was neither sent nor settled counts as skipped. */
export function summarize({ operation, job, total, counts, items, place, ...ended }: Ended): BulkSummary {
  const { succeeded, failed, unknown } = counts;
  const failures = firstFailures(items, place);
  return {
    ...{ operation, job, total, succeeded, failed, unknown, skipped: total - succeeded - failed - unknown },
    ...{ requests: ended.requests, retries: ended.retries, seconds: ended.seconds },
    ...{ failures, failuresTruncated: failed + unknown > failures.length, rejects: ended.rejects },
  };
}

function firstFailures(items: Iterable<Item>, place: PlaceOf): readonly FailureLine[] {
  const failures: FailureLine[] = [];
  for (const { at, id, line, message, code } of items) {
    failures.push({ id, ...place(at, line), message, code });
    if (failures.length === MOST_FAILURES) break;
  }
  return failures;
}
