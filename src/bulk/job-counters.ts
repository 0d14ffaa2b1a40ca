import type { RecordList } from './batches.ts';
import { addExisting } from './existing-records.ts';
import type { OutcomeCounts } from './journal/journal.ts';
import type { ExistingCounts } from './journal/outcomes.ts';
import type { BatchResult } from './send-batch.ts';

export class JobCounters {
  succeeded: number;
  failed: number;
  unknown: number;
  /** Records that existed before the job. Updated and unchanged records also count as succeeded. */
  existing: ExistingCounts;
  requests: number;
  retries: number;
  readonly unexpectedIds: string[] = [];
  unexpectedIdCount = 0;

  constructor({
    succeeded,
    failed,
    unknown,
    requests,
    retries,
    ...existing
  }: Omit<OutcomeCounts, 'open'>) {
    this.succeeded = succeeded;
    this.failed = failed;
    this.unknown = unknown;
    this.existing = existing;
    this.requests = requests;
    this.retries = retries;
  }

  get decided(): number {
    return this.succeeded + this.failed + this.unknown + this.existing.existing;
  }

  add(batch: RecordList, { items, requests, retries, unexpectedIds }: BatchResult): void {
    this.requests += requests;
    this.retries += retries;
    this.succeeded += batch.length;
    for (const { status } of items) {
      if (status === 'succeeded') continue;
      this.succeeded -= 1;
      if (status === 'failed' || status === 'unknown') this[status] += 1;
    }
    this.existing = addExisting(this.existing, items);
    this.unexpectedIdCount += unexpectedIds.length;
    for (const id of unexpectedIds)
      if (this.unexpectedIds.length < MAX_LISTED_IDS) this.unexpectedIds.push(id);
  }
}

const MAX_LISTED_IDS = 5;
