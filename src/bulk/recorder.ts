import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Block } from './batches.ts';
import type { Delivered } from './delivery.ts';
import type { Ledger } from './engine.ts';
import type { Item } from './journal/items.ts';
import type { Durability, Journal } from './journal/journal.ts';
import type { Metrics } from './journal/metrics.ts';
import type { BatchOutcome, SendBatch } from './outcome.ts';
import { partsOf, rangeOf } from './ranges.ts';
import type { ItemResult } from './record.ts';
import type { Results } from './results.ts';
import type { Tally } from './tally.ts';

export interface RecorderOptions {
  readonly journal: Journal;
  readonly metrics: Metrics;
  readonly tally: Tally;
  readonly clock: Clock;
  /** Where a line for each record goes. */
  readonly results?: Results;
}

/** Milliseconds between two notes of the figures, which are all that a killed run may lose. */
const NOTE_INTERVAL = 1_000;

/** Milliseconds between two intents that are flushed to the disk, which are all that a crash of the machine may lose. */
const DURABLE_INTERVAL = 1_000;

/** Writes down what a job is about to do and what came of it: journal, results, figures. */
export class Recorder implements Ledger {
  readonly #journal: Journal;
  readonly #metrics: Metrics;
  readonly #tally: Tally;
  readonly #clock: Clock;
  readonly #results: Results | undefined;
  readonly #number: number;
  readonly #startedAt: number;
  #noteAt: number;
  #durableAt: number;
  #flushing = false;
  #inFlight = 0;

  constructor({ journal, metrics, tally, clock, results }: RecorderOptions) {
    this.#journal = journal;
    this.#metrics = metrics;
    this.#tally = tally;
    this.#clock = clock;
    this.#results = results;
    this.#number = (journal.fact('run')?.number ?? 0) + 1;
    this.#startedAt = clock.now();
    this.#noteAt = this.#startedAt + NOTE_INTERVAL;
    this.#durableAt = this.#startedAt + DURABLE_INTERVAL;
    this.#noteRun(this.#startedAt);
  }

  intend(batch: Block): void {
    const now = this.#clock.now();
    const isDue = now >= this.#durableAt;
    if (isDue) this.#durableAt = now + DURABLE_INTERVAL;
    this.#journal.intend(rangeOf(batch), isDue ? 'durable' : 'written');
  }

  /** What could not be written among the results is thrown only after the outcome was taken: it happened all the same. */
  async settle(batch: Block, delivered: Delivered): Promise<void> {
    const { items, requests, retries } = delivered;
    const { known, open } = partsOf(batch, items);
    this.#tally.add(batch, delivered);
    const fault = await this.#write(items.filter(({ status, open }) => status !== 'skipped' && !open));
    if (known.length + open.length === 0) {
      this.#metrics.strayRequests += requests;
      this.#metrics.strayRetries += retries;
    }
    const noted = items.flatMap(notable);
    this.#journal.settle({ range: rangeOf(batch), known, open, requests, retries, items: noted });
    this.#note(batch, delivered);
    this.#flushSoon();
    if (fault) throw fault;
  }

  /** Sends as `send` does, and notes how long it took. */
  measured(send: SendBatch): SendBatch {
    return async (batch, kind) => {
      this.#inFlight += 1;
      try {
        const outcome: BatchOutcome = await send(batch, kind);
        this.#metrics.request(this.#clock.now(), outcome, this.#inFlight);
        return outcome;
      } finally {
        this.#inFlight -= 1;
      }
    };
  }

  /** Writes down all that is not yet, and that the run lasted until now. */
  flush(durability: Durability = 'written', now = this.#clock.now()): void {
    this.#noteRun(now);
    this.#journal.flush(durability);
  }

  async #write(settled: Delivered['items']): Promise<SvcError | undefined> {
    try {
      await this.#results?.write(settled);
      if (this.#results) this.#journal.note('results', { bytes: this.#results.bytes });
      return undefined;
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  }

  #note(batch: Block, { items }: Delivered): void {
    const now = this.#clock.now();
    const failed = items.filter(({ status }) => status === 'failed' || status === 'unknown').length;
    const skipped = items.filter(({ status }) => status === 'skipped').length;
    this.#metrics.settled(now, batch.length - skipped, failed);
    if (now >= this.#noteAt) this.#noteRun(now);
  }

  #noteRun(now: number): void {
    this.#noteAt = now + NOTE_INTERVAL;
    this.#journal.note('metrics', this.#metrics.save(now));
    this.#journal.note('run', { number: this.#number, startedAt: this.#startedAt, endedAt: now });
  }

  /** For outcomes that no further intent follows for a while. What fails now fails again at the next intent, or at the end. */
  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      try {
        this.#journal.flush();
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
      }
    });
  }
}

function notable({ record: { index, id, line }, status, message, code, open }: ItemResult): readonly Item[] {
  if (status === 'succeeded' || status === 'skipped') return [];
  return [{ at: index, id, line, status: open ? 'open' : status, message, code }];
}
