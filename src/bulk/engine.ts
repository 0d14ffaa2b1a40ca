import { SvcError } from '../kernel/errors.ts';
import { AlikeRefusals } from './alike.ts';
import { type Batch, type BatchLimits, type Block, batches, type Portion } from './batches.ts';
import { type Delivered, deliver, type LookAtThem } from './delivery.ts';
import type { Limiter } from './limiter/limiter.ts';
import type { BatchOutcome, RequestKind, SendBatch, Stop } from './outcome.ts';
import type { Wanted } from './reply.ts';

export interface BulkJob {
  /** In the order to send, no id twice; cut into requests as `batches` does. */
  readonly records: AsyncIterable<Portion> | Iterable<Portion>;
  readonly limits: BatchLimits;
  /** As many failed and unknown records end the sending; absent, it goes on to the end of the input. */
  readonly stopAtErrors?: number;
  /** Outcomes hold these records; absent, the exceptions. */
  readonly wanted?: Wanted;
  /** A record of the job has landed before. */
  readonly landedBefore?: boolean;
}

/** Where the engine writes down what it does. What fails here ends the job. */
export interface Ledger {
  /** A batch is about to be sent. It is sent only once this has returned. */
  intend(batch: Block): void;
  /** All is known of a batch that will be known. */
  settle(batch: Block, delivered: Delivered): Promise<void>;
}

export interface BulkWorld {
  readonly send: SendBatch;
  readonly limiter: Limiter;
  readonly ledger: Ledger;
  /** Waits before what failed inside the service is sent again. Rejects when the signal aborts. */
  readonly pause: (repetition: number, signal: AbortSignal) => Promise<void>;
  readonly look?: LookAtThem | undefined;
  /** Aborted: nothing more is sent, what is in flight is waited for. */
  readonly signal: AbortSignal;
}

const ANSWERS: ReadonlySet<BatchOutcome['kind']> = new Set(['answered', 'answered_whole', 'confirmed']);

/** Batches in a row that got no answer, in spite of all tries, after which the service is left alone. */
const MOST_LOST = 10;

/**
 * Sends the records of a job in batches, several at a time, until they are sent or the job stops; then waits for what is
 * in flight. It prints nothing and owns no clock. Records that were not sent are not heard of again.
 * @returns why it stopped early, if it did
 */
export async function runBulk(job: BulkJob, world: BulkWorld): Promise<Stop | undefined> {
  const run = new Run(job, world);
  try {
    for await (const batch of batches(job.records, job.limits)) {
      if (!(await run.room(batch))) break;
      run.launch(batch);
    }
  } catch (thrown) {
    run.fail(thrown);
  }
  return run.end();
}

/** A job under way: the batches in flight, the errors so far, and why it stopped if it did. */
class Run {
  readonly #job: BulkJob;
  readonly #world: BulkWorld;
  readonly #alike: AlikeRefusals;
  /** Aborted when nothing more is to be sent, for whatever reason. */
  readonly #over = new AbortController();
  #flights = 0;
  #errors = 0;
  #answered = 0;
  /** Batches in a row whose fate is unknown. */
  #lost = 0;
  #stop: Stop | undefined;
  #bug: { readonly thrown: unknown } | undefined;
  /** Called at each landing while somebody waits for one. */
  #wake: (() => void) | undefined;

  constructor(job: BulkJob, world: BulkWorld) {
    this.#job = job;
    this.#world = world;
    this.#alike = new AlikeRefusals(job.landedBefore ?? false);
    const heed = () => this.#stopFor({ why: 'signal', reason: world.signal.reason });
    if (world.signal.aborted) heed();
    world.signal.addEventListener('abort', heed, { once: true, signal: this.#over.signal });
  }

  /** Waits until one more batch may be sent; false when none will be. */
  async room({ records }: Batch): Promise<boolean> {
    // A batch that is cut up waits for its turn with each part; more batches than requests must not pile up.
    while (this.#flights >= this.#world.limiter.limit && !this.#ended) await this.#landing();
    return this.#admitted(records);
  }

  /** Sends a batch that there is room for. */
  launch(batch: Batch): void {
    this.#flights += 1;
    void this.#fly(batch)
      .catch((thrown: unknown) => this.fail(thrown))
      .then(() => {
        this.#flights -= 1;
        this.#wake?.();
      });
  }

  fail(thrown: unknown): void {
    if (thrown instanceof SvcError) this.#stopFor({ why: 'broken', error: thrown });
    else {
      this.#bug ??= { thrown };
      this.#over.abort(thrown);
    }
  }

  /** Waits for what is in flight. */
  async end(): Promise<Stop | undefined> {
    while (this.#flights > 0) await this.#landing();
    const stop = this.#stop;
    this.#over.abort();
    if (this.#bug) throw this.#bug.thrown;
    return stop;
  }

  get #ended(): boolean {
    return this.#over.signal.aborted;
  }

  #landing(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #fly(batch: Batch): Promise<void> {
    const { ledger, pause, look } = this.#world;
    let admitted = true;
    ledger.intend(batch.records);
    const delivered = await deliver(batch, {
      send: async (records, kind) => {
        if (!(admitted || (await this.#admitted(records)))) return undefined;
        admitted = false;
        return this.#request(records, kind);
      },
      answered: () => this.#answered,
      // A pause that the end of the run cuts short is followed by no request.
      pause: (repetition) => pause(repetition, this.#over.signal).catch(() => undefined),
      alike: this.#alike,
      look,
      wanted: this.#job.wanted ?? 'exceptions',
    });
    await ledger.settle(batch.records, delivered);
    this.#judge(delivered);
  }

  async #request(batch: Block, kind: RequestKind): Promise<BatchOutcome> {
    const { send, limiter } = this.#world;
    const outcome = await send(batch, kind).catch((thrown: unknown) => {
      limiter.release({ milliseconds: 0, limited: false, failed: true });
      throw thrown;
    });
    limiter.release(outcome);
    if (ANSWERS.has(outcome.kind)) this.#answered += 1;
    return outcome;
  }

  async #admitted(batch: Block): Promise<boolean> {
    if (this.#ended) return false;
    try {
      await this.#world.limiter.acquire(batch.length, this.#over.signal);
      return true;
    } catch (reason) {
      if (!this.#ended) throw reason;
      return false;
    }
  }

  #judge({ items, hopeless, lost }: Delivered): void {
    if (hopeless) this.#stopFor({ why: 'hopeless', error: hopeless });
    this.#lost = lost ? this.#lost + 1 : 0;
    if (lost && this.#lost >= MOST_LOST) this.#stopFor({ why: 'hopeless', error: lost });
    for (const { status } of items) if (status === 'failed' || status === 'unknown') this.#errors += 1;
    if (this.#errors >= (this.#job.stopAtErrors ?? Number.POSITIVE_INFINITY)) this.#stopFor({ why: 'errors' });
  }

  #stopFor(stop: Stop): void {
    if (this.#stop) return;
    this.#stop = stop;
    this.#over.abort();
    this.#wake?.();
  }
}
