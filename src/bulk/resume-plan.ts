import type { PendingRecords, RecordList } from './batches.ts';
import type { BulkRecord } from './bulk-record.ts';
import type { SentBatch } from './journal/sent-batches.ts';

const BATCH_BOUNDARY: RecordList = [];

export interface ResumeRules {
  /** Whether the records of a batch may be sent again. */
  mayResend(batch: SentBatch): boolean;
  markUnknown(batch: RecordList): Promise<void>;
}

/**
 * Yields the records that a job still has to send. A batch without an outcome is sent again unchanged. Yields an empty
 * list in place of each settled batch, so that new batches do not overlap batches in the journal.
 * @param batches the journal's batches, in order
 */
export async function* planResume(
  recordLists: AsyncIterable<RecordList>,
  batches: Iterator<SentBatch>,
  rules: ResumeRules,
): AsyncGenerator<PendingRecords> {
  const cursor = new BatchCursor(batches);
  for await (const records of recordLists) {
    if (cursor.isPastEnd) {
      yield records;
      continue;
    }
    let unsent: BulkRecord[] = [];
    for (const record of records) {
      const finished = cursor.advance(record, rules);
      if (finished) {
        if (unsent.length > 0) yield unsent;
        unsent = [];
        if (finished.isLost) await rules.markUnknown(finished.records);
        yield finished.isLost || finished.records.length === 0 ? BATCH_BOUNDARY : { resend: finished.records };
      }
      if (cursor.isUnsent) unsent.push(record);
    }
    if (unsent.length > 0) yield unsent;
  }
  const { isLost, records } = cursor.takeFinished();
  if (isLost) await rules.markUnknown(records);
  else if (records.length > 0) yield { resend: records };
}

/** A batch, or the records between two batches, once all of them were read. */
interface FinishedSegment {
  /** The records of a batch without an outcome. */
  readonly records: RecordList;
  readonly isLost: boolean;
}

class BatchCursor {
  readonly #batches: Iterator<SentBatch>;
  #batch: IteratorResult<SentBatch>;
  #wasInBatch = false;
  /** The records of the current batch if it has no outcome. */
  #records: BulkRecord[] = [];
  #isLost = false;
  /** Whether the latest record is outside every batch. */
  isUnsent = true;

  constructor(batches: Iterator<SentBatch>) {
    this.#batches = batches;
    this.#batch = batches.next();
  }

  /** Whether all further records are after the last batch. */
  get isPastEnd(): boolean {
    return this.#batch.done === true && !this.#wasInBatch;
  }

  /** Advances to the next record. Returns the finished segment if a batch begins or ends before the record. */
  advance(record: BulkRecord, { mayResend }: ResumeRules): FinishedSegment | undefined {
    const { index } = record;
    while (!this.#batch.done && this.#batch.value.last < index) this.#batch = this.#batches.next();
    const batch = this.#batch.done ? undefined : this.#batch.value;
    const inside = batch !== undefined && batch.first <= index;
    const finished = batch?.first === index || (this.#wasInBatch && !inside) ? this.takeFinished() : undefined;
    if (inside && !batch.settled) {
      this.#records.push(record);
      this.#isLost = !mayResend(batch);
    }
    this.isUnsent = !inside;
    this.#wasInBatch = inside;
    return finished;
  }

  takeFinished(): FinishedSegment {
    const finished = { records: this.#records, isLost: this.#isLost && this.#records.length > 0 };
    this.#records = [];
    this.#isLost = false;
    return finished;
  }
}
