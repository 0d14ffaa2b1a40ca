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

/**
 * Splits records into batches of one target each, in order. An empty list ends the current batch;
 * records to resend form one batch.
 */
export async function* splitIntoBatches(
  pending: AsyncIterable<PendingRecords> | Iterable<PendingRecords>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let batch: BulkRecord[] = [];
  let characters = 0;
  function* endBatch(): Generator<Batch> {
    if (batch.length > 0) yield { records: batch, isResend: false };
    batch = [];
    characters = 0;
  }
  for await (const next of pending) {
    const resend = 'resend' in next ? next.resend : undefined;
    const records = 'resend' in next ? [] : next;
    if (records.length === 0) yield* endBatch();
    if (resend) yield { records: resend, isResend: true };
    for (const record of records) {
      // The JSON may be formatted on each access.
      const { length } = record.json;
      const isFull = batch.length === limits.records || characters + length > limits.characters;
      if (isFull || batch[0]?.target?.key !== record.target?.key) yield* endBatch();
      batch.push(record);
      characters += length;
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
