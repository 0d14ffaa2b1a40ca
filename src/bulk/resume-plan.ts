import type { BulkRecord, PendingRecords, RecordList } from './batches.ts';
import type { SentBatch } from './journal/outcomes.ts';

const BATCH_BOUNDARY: RecordList = [];

export interface ResumeRules {
  mayResend(batch: SentBatch): boolean;
  markUnknown(batch: RecordList): Promise<void>;
}

/**
 * Yields the records that a job still has to send. A batch without an outcome is sent again
 * unchanged. Yields an empty list in place of each settled batch, so that new batches do not
 * overlap batches in the journal.
 * @param batches the journal's batches, in order
 */
export async function* planResume(
  recordLists: AsyncIterable<RecordList>,
  batches: Iterator<SentBatch>,
  { mayResend, markUnknown }: ResumeRules,
): AsyncGenerator<PendingRecords> {
  let next = batches.next();
  /** The batch of the latest record, and its records if it has no outcome. */
  let current: SentBatch | undefined;
  let open: BulkRecord[] = [];
  async function endBatch(): Promise<PendingRecords> {
    const [batch, records] = [current, open];
    open = [];
    if (!batch || records.length === 0) return BATCH_BOUNDARY;
    if (mayResend(batch)) return { resend: records };
    await markUnknown(records);
    return BATCH_BOUNDARY;
  }
  for await (const records of recordLists) {
    if (next.done && !current) {
      yield records;
      continue;
    }
    let unsent: BulkRecord[] = [];
    for (const record of records) {
      while (!next.done && next.value.last < record.index) next = batches.next();
      const batch: SentBatch | undefined =
        !next.done && next.value.first <= record.index ? next.value : undefined;
      if (batch !== current) {
        if (unsent.length > 0) yield unsent;
        unsent = [];
        yield await endBatch();
        current = batch;
      }
      if (!batch) unsent.push(record);
      else if (!batch.settled) open.push(record);
    }
    if (unsent.length > 0) yield unsent;
  }
  const last = await endBatch();
  if ('resend' in last) yield last;
}
