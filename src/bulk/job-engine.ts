import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type {
  BatchRequestOutcome,
  RequestKind,
  SendBatchRequest,
  StopReason,
} from './batch-request.ts';
import type { ReportedRecords } from './batch-response.ts';
import {
  type Batch,
  type BatchLimits,
  type BulkRecord,
  type PendingRecords,
  type RecordList,
  splitIntoBatches,
} from './batches.ts';
import { idWithinTarget } from './duplicates.ts';
import type { ExistingRecords, LookUpRecords } from './existing-records.ts';
import type { Limiter } from './limiter/limiter.ts';
import { RepeatedRefusals } from './repeated-refusals.ts';
import { type BatchResult, sendBatch } from './send-batch.ts';

export interface BulkJob {
  /** Records to send, in order, with unique IDs. `splitIntoBatches` splits them into requests. */
  readonly records: AsyncIterable<PendingRecords> | Iterable<PendingRecords>;
  readonly limits: BatchLimits;
  readonly stopAtErrors?: number;
  /** Records to include in results (default: `exceptions`). */
  readonly reported?: ReportedRecords;
  readonly hasEarlierSuccess?: boolean;
  /**
   * Field with the ID of the record that contains a record. A batch waits for the outcomes of
   * earlier batches with such records.
   */
  readonly parent?: string | undefined;
}

/** Log of the engine's batches. An error thrown by a method stops the job. */
export interface BatchLog {
  /**
   * Logs that a batch is about to be sent. The engine sends the batch only after the promise
   * resolves.
   */
  recordIntent(batch: RecordList): Promise<void>;
  recordResult(batch: RecordList, result: BatchResult): Promise<void>;
}

export interface JobDependencies {
  readonly send: SendBatchRequest;
  readonly limiter: Limiter;
  readonly log: BatchLog;
  /** Waits before the nth retry. Rejects when the signal aborts. */
  readonly pause: (repetition: number, signal: AbortSignal) => Promise<void>;
  readonly lookUp?: LookUpRecords | undefined;
  readonly existing?: ExistingRecords | undefined;
  /** Stops the job when aborted. Batches in flight still finish. */
  readonly signal: AbortSignal;
}

const ANSWERED_KINDS: ReadonlySet<BatchRequestOutcome['kind']> = new Set([
  'answered',
  'answered_together',
  'confirmed',
]);
/**
 * Number of consecutive batches without a response, including retries, after which the job stops.
 */
const MAX_UNANSWERED_BATCHES = 10;

/**
 * Sends records in concurrent batches, and waits for those in flight.
 * @returns the reason for an early stop
 */
export async function runBulkJob(
  job: BulkJob,
  dependencies: JobDependencies,
): Promise<StopReason | undefined> {
  const run = new Run(job, dependencies);
  try {
    for await (const batch of splitIntoBatches(job.records, job.limits)) {
      if (!(await run.waitForCapacity(batch))) break;
      run.start(batch);
    }
  } catch (thrown) {
    run.fail(thrown);
  }
  return run.finish();
}

function keyOf({ id, target }: BulkRecord): string {
  return idWithinTarget(id, target);
}

class Run {
  readonly #job: BulkJob;
  readonly #dependencies: JobDependencies;
  readonly #repeatedRefusals: RepeatedRefusals;
  readonly #stopping = new AbortController();
  /** Keys of the records in flight, if records have parents. */
  readonly #openKeys = new Set<string>();
  #inFlight = 0;
  #errors = 0;
  #answeredCount = 0;
  #consecutiveUnanswered = 0;
  #stop: StopReason | undefined;
  #unexpectedError: { readonly thrown: unknown } | undefined;
  #notifyCompletion: (() => void) | undefined;

  constructor(job: BulkJob, dependencies: JobDependencies) {
    this.#job = job;
    this.#dependencies = dependencies;
    this.#repeatedRefusals = new RepeatedRefusals(job.hasEarlierSuccess ?? false);
    const stop = () => this.#stopWith({ kind: 'signal', reason: dependencies.signal.reason });
    if (dependencies.signal.aborted) stop();
    dependencies.signal.addEventListener('abort', stop, {
      once: true,
      signal: this.#stopping.signal,
    });
  }

  /** Waits until one more batch may be sent. Returns false if the job is stopping. */
  async waitForCapacity({ records }: Batch): Promise<boolean> {
    const parents = this.#parentKeys(records);
    const isBusy = () =>
      // Also limits the number of batches, because each request of a split batch acquires its own
      // slot.
      this.#inFlight >= this.#dependencies.limiter.limit ||
      parents.some((key) => this.#openKeys.has(key));
    while (isBusy() && !this.#isStopping) await this.#nextCompletion();
    return this.#acquireSlot(records);
  }

  start(batch: Batch): void {
    const keys = this.#job.parent === undefined ? [] : batch.records.map(keyOf);
    for (const key of keys) this.#openKeys.add(key);
    this.#inFlight += 1;
    void this.#send(batch)
      .catch((thrown: unknown) => this.fail(thrown))
      .then(() => {
        for (const key of keys) this.#openKeys.delete(key);
        this.#inFlight -= 1;
        this.#notifyCompletion?.();
      });
  }

  fail(thrown: unknown): void {
    if (thrown instanceof SvcError) this.#stopWith({ kind: 'broken', error: thrown });
    else {
      this.#unexpectedError ??= { thrown };
      this.#stopping.abort(thrown);
    }
  }

  async finish(): Promise<StopReason | undefined> {
    while (this.#inFlight > 0) await this.#nextCompletion();
    const stop = this.#stop;
    this.#stopping.abort();
    if (this.#unexpectedError) throw this.#unexpectedError.thrown;
    return stop;
  }

  #parentKeys(records: RecordList): readonly string[] {
    const { parent } = this.#job;
    if (parent === undefined || this.#openKeys.size === 0) return [];
    return records.flatMap(({ value, target }) => {
      const id = isObject(value) ? value[parent] : undefined;
      return typeof id === 'string' ? [idWithinTarget(id, target)] : [];
    });
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #nextCompletion(): Promise<void> {
    return new Promise((resolve) => {
      this.#notifyCompletion = resolve;
    });
  }

  async #send(batch: Batch): Promise<void> {
    const { log, pause, lookUp, existing, send } = this.#dependencies;
    let admitted = true;
    const admit = (request: SendBatchRequest) => async (records: RecordList, kind: RequestKind) => {
      if (!(admitted || (await this.#acquireSlot(records)))) return undefined;
      admitted = false;
      return this.#sendRequest(request, records, kind);
    };
    await log.recordIntent(batch.records);
    const result = await sendBatch(batch, {
      send: admit(send),
      existing:
        existing?.action === 'update' ? { ...existing, send: admit(existing.send) } : existing,
      countAnswered: () => this.#answeredCount,
      // If the job stops during the pause, no further request is sent.
      pause: (repetition) => pause(repetition, this.#stopping.signal).catch(() => undefined),
      repeatedRefusals: this.#repeatedRefusals,
      lookUp,
      reported: this.#job.reported ?? 'exceptions',
    });
    await log.recordResult(batch.records, result);
    this.#checkStopConditions(result);
  }

  async #sendRequest(
    send: SendBatchRequest,
    batch: RecordList,
    kind: RequestKind,
  ): Promise<BatchRequestOutcome> {
    const { limiter } = this.#dependencies;
    const outcome = await send(batch, kind).catch((thrown: unknown) => {
      limiter.release({ milliseconds: 0, limited: false, failed: true });
      throw thrown;
    });
    limiter.release(outcome);
    if (ANSWERED_KINDS.has(outcome.kind)) this.#answeredCount += 1;
    return outcome;
  }

  async #acquireSlot(batch: RecordList): Promise<boolean> {
    if (this.#isStopping) return false;
    try {
      await this.#dependencies.limiter.acquire(batch.length, this.#stopping.signal);
      return true;
    } catch (reason) {
      if (!this.#isStopping) throw reason;
      return false;
    }
  }

  #checkStopConditions({ items, fatal, unanswered }: BatchResult): void {
    if (fatal) this.#stopWith({ kind: 'fatal', error: fatal });
    this.#consecutiveUnanswered = unanswered ? this.#consecutiveUnanswered + 1 : 0;
    if (unanswered && this.#consecutiveUnanswered >= MAX_UNANSWERED_BATCHES)
      this.#stopWith({ kind: 'fatal', error: unanswered });
    for (const { status } of items)
      if (status === 'failed' || status === 'unknown') this.#errors += 1;
    if (this.#errors >= (this.#job.stopAtErrors ?? Number.POSITIVE_INFINITY))
      this.#stopWith({ kind: 'errors' });
  }

  #stopWith(stop: StopReason): void {
    if (this.#stop) return;
    this.#stop = stop;
    this.#stopping.abort();
    this.#notifyCompletion?.();
  }
}
