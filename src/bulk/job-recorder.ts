import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import type { BatchRequestOutcome, SendBatchRequest } from './batch-request.ts';
import type { RecordList, RecordResult } from './batches.ts';
import { addExisting } from './existing-records.ts';
import type { JobCounters } from './job-counters.ts';
import type { BatchLog } from './job-engine.ts';
import type { Durability, JobFacts, Journal } from './journal/journal.ts';
import type { Metrics } from './journal/metrics.ts';
import {
  type ExistingCounts,
  NO_EXISTING,
  type RecordRange,
  type UnsuccessfulRecord,
} from './journal/outcomes.ts';
import type { ResultsFile } from './results-file.ts';
import type { BatchResult } from './send-batch.ts';

export interface JobRecorderOptions {
  readonly journal: Journal;
  readonly metrics: Metrics;
  readonly counters: JobCounters;
  readonly clock: Clock;
  readonly results?: ResultsFile | undefined;
}

/** Interval between saves of the metrics, in milliseconds. A killed run loses at most this much. */
const FACTS_INTERVAL = 1_000;
/** Interval between flushes to disk, in milliseconds. A machine crash loses at most this much. */
const DURABLE_INTERVAL = 1_000;

export class JobRecorder implements BatchLog {
  readonly #options: JobRecorderOptions;
  readonly #runNumber: number;
  readonly #startedAt: number;
  #factsDueAt: number;
  #durableDueAt: number;
  /** Counts in the journal. The job's counters are ahead of it while results are being written. */
  #existing: ExistingCounts;
  #intents: RecordRange[] = [];
  #writing: Promise<void> | undefined;
  #inFlight = 0;

  constructor(options: JobRecorderOptions) {
    const { journal, clock } = options;
    this.#options = options;
    this.#runNumber = (journal.getFact('run')?.number ?? 0) + 1;
    this.#existing = journal.getFact('existing') ?? NO_EXISTING;
    this.#startedAt = clock.now();
    this.#factsDueAt = this.#startedAt + FACTS_INTERVAL;
    this.#durableDueAt = this.#startedAt + DURABLE_INTERVAL;
    this.#saveFacts(this.#startedAt);
  }

  recordIntent(batch: RecordList): Promise<void> {
    this.#intents.push(rangeOf(batch));
    return this.#writeSoon();
  }

  async recordResult(batch: RecordList, result: BatchResult): Promise<void> {
    const { items, requests, retries } = result;
    const { known, open } = splitByOutcome(batch, items);
    this.#options.counters.add(batch, result);
    const resultsError = await this.#writeResults(
      items.filter(({ status, open }) => status !== 'skipped' && !open),
    );
    if (known.length + open.length === 0) {
      this.#options.metrics.strayRequests += requests;
      this.#options.metrics.strayRetries += retries;
    }
    const journaled = items.flatMap(journaledRecord);
    this.#options.journal.recordOutcome({
      range: rangeOf(batch),
      known,
      open,
      requests,
      retries,
      items: journaled,
    });
    const existing = addExisting(this.#existing, items);
    if (existing !== this.#existing) this.#options.journal.setFact('existing', existing);
    this.#existing = existing;
    this.#updateMetrics(batch, result);
    // Even if no intent follows. Ignores errors, which recur at the next intent or at the end.
    this.#writeSoon().catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error;
    });
    if (resultsError) throw resultsError;
  }

  /** Records results of records for which this run sends no request. */
  recordWithoutRequest(batch: RecordList, items: BatchResult['items']): Promise<void> {
    return this.recordResult(batch, {
      items,
      requests: 0,
      retries: 0,
      unexpectedIds: [],
      fatal: undefined,
      unanswered: undefined,
    });
  }

  withMetrics(send: SendBatchRequest): SendBatchRequest {
    return async (batch, kind) => {
      this.#inFlight += 1;
      try {
        const outcome: BatchRequestOutcome = await send(batch, kind);
        this.#options.metrics.recordRequest(this.#options.clock.now(), outcome, this.#inFlight);
        return outcome;
      } finally {
        this.#inFlight -= 1;
      }
    };
  }

  flush(durability: Durability = 'written', now = this.#options.clock.now()): void {
    this.#saveFacts(now);
    this.#options.journal.flush(durability);
  }

  /**
   * Records that the job is done, or the error of this run, for processes that watch the job.
   * Flushes the journal.
   */
  end(ending: JobFacts['done'] | { readonly error: unknown }, now: number): void {
    const { journal } = this.#options;
    if ('rejects' in ending) journal.setFact('done', ending);
    else if (ending.error instanceof SvcError) {
      const { failure, message } = ending.error;
      journal.setFact('stopped', { run: this.#runNumber, failure, message });
    }
    this.flush('durable', now);
  }

  async #writeResults(settled: BatchResult['items']): Promise<SvcError | undefined> {
    try {
      const { results, journal } = this.#options;
      await results?.write(settled);
      if (results) journal.setFact('results', results.saved);
      return undefined;
    } catch (error) {
      if (error instanceof SvcError) return error;
      throw error;
    }
  }

  #updateMetrics(batch: RecordList, { items }: BatchResult): void {
    const now = this.#options.clock.now();
    const failed = items.filter(({ status }) => status === 'failed' || status === 'unknown').length;
    const skipped = items.filter(({ status }) => status === 'skipped').length;
    this.#options.metrics.recordSettled(now, batch.length - skipped, failed);
    if (now >= this.#factsDueAt) this.#saveFacts(now);
  }

  #saveFacts(now: number): void {
    this.#factsDueAt = now + FACTS_INTERVAL;
    this.#options.journal.setFact('metrics', this.#options.metrics.save(now));
    this.#options.journal.setFact('run', {
      number: this.#runNumber,
      startedAt: this.#startedAt,
      endedAt: now,
    });
  }

  /**
   * Writes all intents and outcomes of this turn of the event loop in one transaction, which saves
   * most of its cost.
   */
  #writeSoon(): Promise<void> {
    this.#writing ??= nextTurn().then(() => {
      const intents = this.#intents;
      this.#intents = [];
      this.#writing = undefined;
      if (intents.length === 0) return this.#options.journal.flush();
      const now = this.#options.clock.now();
      const isDue = now >= this.#durableDueAt;
      if (isDue) this.#durableDueAt = now + DURABLE_INTERVAL;
      this.#options.journal.recordIntents(intents, isDue ? 'durable' : 'written');
    });
    return this.#writing;
  }
}

function journaledRecord({
  record,
  status,
  message,
  code,
  open,
}: RecordResult): readonly UnsuccessfulRecord[] {
  if (status === 'succeeded' || status === 'existing' || status === 'skipped') return [];
  const { index, id, line } = record;
  return [{ at: index, id, line, status: open ? 'open' : status, message, code }];
}

export function rangeOf(batch: RecordList): RecordRange {
  return { first: batch[0]?.index ?? 0, last: batch.at(-1)?.index ?? 0, count: batch.length };
}

/**
 * Splits a batch into ranges of consecutive records whose outcome is known, and ranges to resend.
 * Omits unsent records.
 */
function splitByOutcome(batch: RecordList, items: readonly RecordResult[]) {
  const unsettled = items.filter(({ status, open }) => status === 'skipped' || open);
  const parts: { known: RecordRange[]; open: RecordRange[] } = { known: [], open: [] };
  if (unsettled.length === 0) return { ...parts, known: [rangeOf(batch)] };
  const kinds = new Map(
    unsettled.map(({ record, open }) => [record, open ? 'open' : 'unsent'] as const),
  );
  let start = 0;
  for (const [at, record] of batch.entries()) {
    const kind = kinds.get(record) ?? 'known';
    const next = batch[at + 1];
    if (next && (kinds.get(next) ?? 'known') === kind) continue;
    if (kind !== 'unsent') parts[kind].push(rangeOf(batch.slice(start, at + 1)));
    start = at + 1;
  }
  return parts;
}
