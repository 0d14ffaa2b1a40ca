import type { BulkRecord } from './bulk-record.ts';

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

/** Records to send: any number of new ones, or the records of one earlier request, which is repeated unchanged. */
export type PendingRecords = RecordList | { readonly resend: RecordList };

/** Splits records into batches of one target each, in order. An empty list ends the current batch; records to resend form one batch. */
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
      const isFull = batch.length === limits.records || characters + record.json.length > limits.characters;
      if (isFull || batch[0]?.target?.key !== record.target?.key) yield* endBatch();
      batch.push(record);
      characters += record.json.length;
    }
  }
  yield* endBatch();
}
