import { randomBytes } from 'node:crypto';
import type { BulkEvent } from './engine.ts';
import type { ItemResult, ItemStatus } from './record.ts';

export interface FailureLine {
  readonly id: string;
  readonly line: number | null;
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

/** Counts what a job reports. */
export class Tally {
  readonly counts: Record<ItemStatus, number> = { succeeded: 0, failed: 0, unknown: 0, skipped: 0 };
  readonly #failures: FailureLine[] = [];
  #requests = 0;
  #retries = 0;

  get total(): number {
    const { succeeded, failed, unknown, skipped } = this.counts;
    return succeeded + failed + unknown + skipped;
  }

  add({ items, requests, retries }: Extract<BulkEvent, { kind: 'settled' }>): void {
    this.#requests += requests;
    this.#retries += retries;
    for (const item of items) this.#count(item);
  }

  #count({ record: { id, line }, status, message, code }: ItemResult): void {
    this.counts[status] += 1;
    const failed = status === 'failed' || status === 'unknown';
    if (failed && this.#failures.length < MOST_FAILURES) this.#failures.push({ id, line, message, code });
  }

  summary(job: Pick<BulkSummary, 'operation' | 'job' | 'seconds' | 'rejects'>): BulkSummary {
    const { succeeded, failed, unknown, skipped } = this.counts;
    return {
      operation: job.operation,
      job: job.job,
      total: this.total,
      succeeded,
      failed,
      unknown,
      skipped,
      requests: this.#requests,
      retries: this.#retries,
      seconds: job.seconds,
      failures: this.#failures,
      failuresTruncated: failed + unknown > this.#failures.length,
      rejects: job.rejects,
    };
  }
}

/** A name for a job that sorts by when it began: `20260131-094500-5f3a9c`. */
export function jobName(now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
}
