import type { SvcError } from '../kernel/errors.ts';
import type { BulkRecord, ItemResult, ItemStatus } from './record.ts';
import { readReply, readWholeReply } from './reply.ts';

/** What came of one request. */
export type BatchOutcome = {
  /** Attempts after the first. */
  readonly retries: number;
} & (
  | {
      /** The service says of each record what became of it: by id, or as a list in the order of the request. */
      readonly kind: 'answered';
      readonly reply: unknown;
    }
  /** The service says one thing of all records together. */
  | { readonly kind: 'answered_whole'; readonly reply: unknown }
  /** Nothing of it was applied, because of what it holds. Others may fare better. */
  | { readonly kind: 'refused'; readonly error: SvcError }
  /** It may have been applied, wholly, in part or not at all. */
  | { readonly kind: 'unknown'; readonly error: SvcError }
  /** Nothing of it was applied, and no other request would fare better. */
  | { readonly kind: 'hopeless'; readonly error: SvcError }
);

type Block = readonly BulkRecord[];

export interface BulkJob {
  /** In the order to send, in blocks of any size; no id twice. */
  readonly records: AsyncIterable<Block> | Iterable<Block>;
  /** Records a request. */
  readonly batchSize: number;
  /** Most requests in flight. */
  readonly concurrency: number;
  /** As many failed and unknown records end the sending; absent, it goes on to the end of the input. */
  readonly stopAtErrors?: number;
}

export interface BulkWorld {
  readonly send: (batch: readonly BulkRecord[]) => Promise<BatchOutcome>;
  /** Aborted: nothing more is sent, what is in flight is waited for. */
  readonly signal: AbortSignal;
}

/** Why a job ends early. */
export type Stop =
  | { readonly why: 'signal'; readonly reason: unknown }
  | { readonly why: 'errors' }
  | { readonly why: 'hopeless'; readonly error: SvcError };

/** What happens in a job. Each record is in exactly one `settled` event. */
export type BulkEvent =
  | {
      readonly kind: 'settled';
      readonly items: readonly ItemResult[];
      readonly requests: number;
      readonly retries: number;
    }
  | { readonly kind: 'strangers'; readonly ids: readonly string[] }
  | { readonly kind: 'stopped'; readonly stop: Stop };

interface Landing {
  readonly flight: Promise<Landing>;
  readonly batch: readonly BulkRecord[];
  readonly outcome: BatchOutcome;
}

/**
 * Sends the records of a job in batches, several at a time. It prints nothing, owns no clock, and goes to the end of the
 * records in any case: once stopped it reports the rest as skipped.
 */
export async function* runBulk(job: BulkJob, world: BulkWorld): AsyncGenerator<BulkEvent> {
  const run = new Run(job, world);
  for await (const batch of batches(job.records, job.batchSize)) {
    while (run.full) yield* run.land();
    yield* run.heedSignal();
    if (run.stop) yield skipped(batch, run.stop);
    else run.launch(batch);
  }
  while (run.busy) yield* run.land();
}

/** A job under way: the requests in flight, the errors so far, and why it stopped if it did. */
class Run {
  readonly #job: BulkJob;
  readonly #world: BulkWorld;
  readonly #flights = new Set<Promise<Landing>>();
  #errors = 0;
  stop: Stop | undefined;

  constructor(job: BulkJob, world: BulkWorld) {
    this.#job = job;
    this.#world = world;
  }

  get busy(): boolean {
    return this.#flights.size > 0;
  }

  get full(): boolean {
    return this.#flights.size >= this.#job.concurrency;
  }

  launch(batch: readonly BulkRecord[]): void {
    const flight: Promise<Landing> = this.#world.send(batch).then((outcome) => ({ flight, batch, outcome }));
    this.#flights.add(flight);
  }

  /** Waits for the first request to come back. */
  async *land(): AsyncGenerator<BulkEvent> {
    const { flight, batch, outcome } = await Promise.race(this.#flights);
    this.#flights.delete(flight);
    const { items, strangers } = landed(batch, outcome);
    yield { kind: 'settled', items, requests: 1 + outcome.retries, retries: outcome.retries };
    if (strangers.length > 0) yield { kind: 'strangers', ids: strangers };
    this.#errors += items.filter(({ status }) => status === 'failed' || status === 'unknown').length;
    if (outcome.kind === 'hopeless') yield* this.#stopFor({ why: 'hopeless', error: outcome.error });
    if (this.#errors >= (this.#job.stopAtErrors ?? Number.POSITIVE_INFINITY)) yield* this.#stopFor({ why: 'errors' });
  }

  *heedSignal(): Generator<BulkEvent> {
    const { aborted, reason } = this.#world.signal;
    if (aborted) yield* this.#stopFor({ why: 'signal', reason });
  }

  *#stopFor(stop: Stop): Generator<BulkEvent> {
    if (this.stop) return;
    this.stop = stop;
    yield { kind: 'stopped', stop };
  }
}

function landed(batch: readonly BulkRecord[], outcome: BatchOutcome) {
  switch (outcome.kind) {
    case 'answered':
      return readReply(batch, outcome.reply);
    case 'answered_whole':
      return readWholeReply(batch, outcome.reply);
    case 'refused':
      return { items: allOf(batch, 'failed', outcome.error), strangers: [] };
    case 'unknown':
      return { items: allOf(batch, 'unknown', outcome.error), strangers: [] };
    case 'hopeless':
      return { items: allOf(batch, 'skipped', outcome.error), strangers: [] };
  }
}

function allOf(
  batch: readonly BulkRecord[],
  status: ItemStatus,
  { message, failure }: SvcError,
): readonly ItemResult[] {
  return batch.map((record) => ({ record, status, message, code: failure }));
}

function skipped(batch: readonly BulkRecord[], { why }: Stop): BulkEvent {
  const message = why === 'signal' ? 'not sent: the run was stopped' : 'not sent: the run stopped after errors';
  const items = batch.map((record): ItemResult => ({ record, status: 'skipped', message, code: 'not_sent' }));
  return { kind: 'settled', items, requests: 0, retries: 0 };
}

async function* batches(blocks: BulkJob['records'], size: number): AsyncGenerator<readonly BulkRecord[]> {
  let rest: readonly BulkRecord[] = [];
  for await (const block of blocks) {
    const records = rest.length > 0 ? [...rest, ...block] : block;
    const whole = records.length - (records.length % size);
    for (let at = 0; at < whole; at += size) yield records.slice(at, at + size);
    rest = records.slice(whole);
  }
  if (rest.length > 0) yield rest;
}
