import type { Block } from './batches.ts';
import type { Delivered } from './delivery.ts';
import type { Counts } from './journal/journal.ts';

/** Counts of a job while it runs, those of earlier runs included. */
export class Tally {
  succeeded: number;
  failed: number;
  unknown: number;
  requests: number;
  retries: number;
  /** The first ids that a reply named and its request did not, and how many there were. */
  readonly strangers: string[] = [];
  strangerCount = 0;

  constructor({ succeeded, failed, unknown, requests, retries }: Omit<Counts, 'open'>) {
    this.succeeded = succeeded;
    this.failed = failed;
    this.unknown = unknown;
    this.requests = requests;
    this.retries = retries;
  }

  /** Records of which something is known, or will not be. */
  get done(): number {
    return this.succeeded + this.failed + this.unknown;
  }

  add(batch: Block, { items, requests, retries, strangers }: Delivered): void {
    this.requests += requests;
    this.retries += retries;
    this.succeeded += batch.length;
    for (const { status } of items) {
      if (status === 'succeeded') continue;
      this.succeeded -= 1;
      if (status !== 'skipped') this[status] += 1;
    }
    this.strangerCount += strangers.length;
    for (const id of strangers) if (this.strangers.length < SHOWN_STRANGERS) this.strangers.push(id);
  }
}

const SHOWN_STRANGERS = 5;
