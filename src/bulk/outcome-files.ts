import type { RecordList } from './batches.ts';
import type { BulkRecord, RecordResult } from './bulk-record.ts';
import type { Journal } from './journal/journal.ts';
import type { SentBatch } from './journal/sent-batches.ts';
import type { UnsuccessfulRecord } from './journal/unsuccessful-records.ts';
import type { RejectsFile } from './rejects-file.ts';
import type { ResultsFile } from './results-file.ts';

export interface OutcomeFilesRequest {
  readonly recordLists: AsyncIterable<{ readonly records: RecordList; readonly skipped: RecordList }>;
  readonly journal: Journal;
  readonly rejects: RejectsFile | undefined;
  readonly results: ResultsFile | undefined;
  /** Whether the job cannot be resumed. If so, unsent records are rejects as well. */
  readonly isFinal: boolean;
}

/** Writes the rejects, and the results of unsent records, from input and journal: a killed run does not affect them. */
export async function writeOutcomeFiles(request: OutcomeFilesRequest): Promise<void> {
  const { recordLists, journal, rejects, results, isFinal } = request;
  const reader = new OutcomeReader(journal);
  for await (const { records, skipped } of recordLists) {
    const outcomes = records.map((record) => reader.outcomeOf(record)).filter((item) => item !== undefined);
    const unsent = outcomes.filter(({ status }) => status === 'skipped');
    await rejects?.add(isFinal ? outcomes : outcomes.filter(({ status }) => status !== 'skipped'));
    await results?.write([...skipped.map(duplicateResult), ...unsent, ...outcomes.filter(({ open }) => open)]);
  }
}

/** Looks up the outcome of each record, in the order of the input. `undefined` means success. */
class OutcomeReader {
  readonly #batches: Iterator<SentBatch>;
  readonly #items: Iterator<UnsuccessfulRecord>;
  #batch: IteratorResult<SentBatch>;
  #item: IteratorResult<UnsuccessfulRecord>;

  constructor(journal: Journal) {
    this.#batches = journal.sentBatches();
    this.#items = journal.unsuccessfulRecords();
    this.#batch = this.#batches.next();
    this.#item = this.#items.next();
  }

  outcomeOf(record: BulkRecord): RecordResult | undefined {
    const { index } = record;
    while (!this.#batch.done && this.#batch.value.last < index) this.#batch = this.#batches.next();
    while (!this.#item.done && this.#item.value.at < index) this.#item = this.#items.next();
    if (this.#batch.done || this.#batch.value.first > index) return { record, ...NOT_SENT };
    if (this.#item.done || this.#item.value.at !== index) {
      return this.#batch.value.settled ? undefined : { record, ...OPEN };
    }
    const { status, message, code } = this.#item.value;
    return status === 'open' ? { record, ...OPEN, message, code } : { record, status, message, code };
  }
}

const NOT_SENT = { status: 'skipped', message: 'not sent', code: 'not_sent' } as const;
const OPEN = {
  status: 'unknown',
  message: 'sent, but no response was received',
  code: 'outcome_unknown',
  open: true,
} as const;

function duplicateResult(record: BulkRecord): RecordResult {
  return { record, status: 'skipped', message: 'not sent: another record has the same ID', code: 'duplicate' };
}
