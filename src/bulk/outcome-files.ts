import type { BulkRecord, RecordList, RecordResult } from './batches.ts';
import type { Journal } from './journal/journal.ts';
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
  const outcomeOf = createOutcomeReader(journal);
  for await (const { records, skipped } of recordLists) {
    const outcomes = records.map(outcomeOf).filter((item) => item !== undefined);
    const unsent = outcomes.filter(({ status }) => status === 'skipped');
    await rejects?.add(isFinal ? outcomes : outcomes.filter(({ status }) => status !== 'skipped'));
    await results?.write([...skipped.map(duplicateResult), ...unsent, ...outcomes.filter(({ open }) => open)]);
  }
}

/** Creates a lookup of each record's outcome, in the order of the input. `undefined` means success. */
function createOutcomeReader(journal: Journal): (record: BulkRecord) => RecordResult | undefined {
  const [batches, items] = [journal.sentBatches(), journal.unsuccessfulRecords()];
  let [batch, item] = [batches.next(), items.next()];
  return (record) => {
    const { index } = record;
    while (!batch.done && batch.value.last < index) batch = batches.next();
    while (!item.done && item.value.at < index) item = items.next();
    if (batch.done || batch.value.first > index) return { record, ...NOT_SENT };
    if (item.done || item.value.at !== index) return batch.value.settled ? undefined : { record, ...OPEN };
    const { status, message, code } = item.value;
    return status === 'open' ? { record, ...OPEN, message, code } : { record, status, message, code };
  };
}

const NOT_SENT = { status: 'skipped', message: 'not sent', code: 'not_sent' } as const;
const OPEN = { status: 'unknown', message: 'sent, but no response was received', code: 'outcome_unknown', open: true } as const;

function duplicateResult(record: BulkRecord): RecordResult {
  return { record, status: 'skipped', message: 'not sent: another record has the same ID', code: 'duplicate' };
}
