import type { RecordTarget } from './record-targets.ts';

export type RecordList = readonly BulkRecord[];

export interface BatchLimits {
  readonly records: number;
  /** JSON characters. A single record may be longer. */
  readonly characters: number;
}

export interface Batch {
  readonly records: RecordList;
  readonly isResend: boolean;
}

/**
 * Records to send: any number of new ones, or the records of one earlier request, which is repeated
 * unchanged.
 */
export type PendingRecords = RecordList | { readonly resend: RecordList };

/** Finds where batches of records begin. Each is for one target and within the limits. */
export class BatchBoundaries {
  readonly #limits: BatchLimits;
  #records = 0;
  #characters = 0;
  #target: string | undefined;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  /** Adds the next record. Returns whether a batch begins with it. */
  add({ json: { length }, target }: BulkRecord): boolean {
    const begins =
      this.#records === 0 ||
      this.#records === this.#limits.records ||
      this.#characters + length > this.#limits.characters ||
      target?.key !== this.#target;
    if (begins) this.end();
    this.#records += 1;
    this.#characters += length;
    this.#target = target?.key;
    return begins;
  }

  /** Ends the current batch. */
  end(): void {
    this.#records = 0;
    this.#characters = 0;
  }
}

/**
 * Splits records into batches of one target each, in order. An empty list ends the current batch;
 * records to resend form one batch.
 */
export async function* splitIntoBatches(
  pending: AsyncIterable<PendingRecords> | Iterable<PendingRecords>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  const boundaries = new BatchBoundaries(limits);
  let batch: BulkRecord[] = [];
  function* endBatch(): Generator<Batch> {
    if (batch.length > 0) yield { records: batch, isResend: false };
    batch = [];
  }
  for await (const next of pending) {
    const resend = 'resend' in next ? next.resend : undefined;
    const records = 'resend' in next ? [] : next;
    if (records.length === 0) {
      boundaries.end();
      yield* endBatch();
    }
    if (resend) yield { records: resend, isResend: true };
    for (const record of records) {
      if (boundaries.add(record)) yield* endBatch();
      batch.push(record);
    }
  }
  yield* endBatch();
}

export interface BulkRecord {
  readonly id: string;
  /** Index among all records in the order of sending, from 0. Includes skipped records. */
  readonly index: number;
  readonly line: number | null;
  /** The value to send. May be parsed on each access. */
  readonly value: unknown;
  /** The record in the input's format, with its ID if it was generated. */
  readonly text: string;
  /** The record as one line of JSON, in any input format. */
  readonly jsonLine: string;
  /** The JSON text to send. Equals `text` if the input is JSON and the record is unchanged. */
  readonly json: string;
  /**
   * The target that the record names, if the command does not. All records of a request have the
   * same one.
   */
  readonly target?: RecordTarget | undefined;
}

/**
 * `existing`: not written, because the service already has a record with this ID. `skipped`: not
 * sent.
 */
export type RecordStatus = 'succeeded' | 'failed' | 'unknown' | 'existing' | 'skipped';

export interface RecordResult {
  readonly record: BulkRecord;
  readonly status: RecordStatus;
  /** The service's message, or the reason why the record was not sent. */
  readonly message: string | null;
  /** The service's code, such as `already-exists`, or the kind of the failure. */
  readonly code: string | null;
  readonly effect?: 'updated' | 'unchanged';
  readonly open?: true;
}
