import type { BulkRecord, RecordResult } from './batches.ts';
import type { CheckedLists } from './checked-records.ts';
import type { Journal } from './journal/journal.ts';
import { NO_EXISTING, type OrganizationCounts } from './journal/outcomes.ts';
import type { RejectsFile } from './rejects-file.ts';
import type { ResultsFile } from './results-file.ts';

export interface OutcomeFilesRequest {
  readonly recordLists: AsyncIterable<CheckedLists>;
  readonly journal: Journal;
  readonly rejects: RejectsFile | undefined;
  readonly results: ResultsFile | undefined;
  /** Whether the job cannot be resumed. If so, unsent records are rejects as well. */
  readonly isFinal: boolean;
}

/**
 * Writes the rejects, and the results of unsent records, from input and journal: a killed run does
 * not affect them.
 */
export async function writeOutcomeFiles(request: OutcomeFilesRequest): Promise<void> {
  const { recordLists, journal, rejects, results, isFinal } = request;
  const outcomeOf = createOutcomeReader(journal);
  for await (const { records, skipped } of recordLists) {
    const outcomes = records.map(outcomeOf).filter((item) => item !== undefined);
    const unsent = outcomes.filter(({ status }) => status === 'skipped');
    await rejects?.add(isFinal ? outcomes : outcomes.filter(({ status }) => status !== 'skipped'));
    await results?.write([
      ...skipped.map(duplicateResult),
      ...unsent,
      ...outcomes.filter(({ open }) => open),
    ]);
  }
}

/**
 * Writes the results of the records that earlier runs settled, without the messages of the service for
 * those that succeeded.
 */
export async function restoreResults({
  recordLists,
  journal,
  results,
}: Pick<OutcomeFilesRequest, 'recordLists' | 'journal'> & {
  readonly results: ResultsFile;
}): Promise<void> {
  const outcomeOf = createOutcomeReader(journal);
  const succeeded = { status: 'succeeded', message: null, code: null } as const;
  for await (const { records } of recordLists) {
    const outcomes = records.map((record) => outcomeOf(record) ?? { record, ...succeeded });
    await results.write(outcomes.filter(({ status, open }) => status !== 'skipped' && !open));
  }
}

const MAX_ORGANIZATIONS = 100;

/**
 * Counts the records of the first organizations, for records that name theirs.
 * @param isGrouped whether the records of an organization follow each other
 */
export async function countByOrganization(
  recordLists: AsyncIterable<CheckedLists>,
  journal: Journal,
  isGrouped: boolean,
): Promise<readonly OrganizationCounts[]> {
  const outcomeOf = createOutcomeReader(journal);
  const counts = new Map<unknown, { total: number; succeeded: number; failed: number }>();
  const countsOf = ({ target }: BulkRecord) => {
    const id = target?.data['organizationId'];
    const known = counts.get(id) ?? { total: 0, succeeded: 0, failed: 0 };
    if (counts.size < MAX_ORGANIZATIONS) counts.set(id, known);
    known.total += 1;
    return known;
  };
  for await (const { records, skipped } of recordLists) {
    for (const record of records) {
      const of = countsOf(record);
      const status = outcomeOf(record)?.status ?? 'succeeded';
      if (status === 'succeeded' || status === 'failed') of[status] += 1;
    }
    for (const record of skipped) countsOf(record);
    if (
      isGrouped &&
      counts.size === MAX_ORGANIZATIONS &&
      !counts.has(records.at(-1)?.target?.data['organizationId'])
    )
      break;
  }
  const isNew = new Set(journal.getFact('newOrganizations'));
  const { organizations: existing = {} } = journal.getFact('existing') ?? NO_EXISTING;
  return Array.from(counts, ([id, { total, succeeded, failed }]) => {
    const counted = { total, succeeded: succeeded - (existing[String(id)] ?? 0), failed };
    return { id: String(id), ...counted, new: isNew.has(String(id)) };
  });
}

/**
 * Creates a lookup of each record's outcome, in the order of the input. `undefined` means success.
 */
function createOutcomeReader(journal: Journal): (record: BulkRecord) => RecordResult | undefined {
  const [batches, items] = [journal.sentBatches(), journal.unsuccessfulRecords()];
  let [batch, item] = [batches.next(), items.next()];
  return (record) => {
    const { index } = record;
    while (!batch.done && batch.value.last < index) batch = batches.next();
    while (!item.done && item.value.at < index) item = items.next();
    if (batch.done || batch.value.first > index) return { record, ...NOT_SENT };
    if (item.done || item.value.at !== index)
      return batch.value.settled ? undefined : { record, ...OPEN };
    const { status, message, code } = item.value;
    return status === 'open'
      ? { record, ...OPEN, message, code }
      : { record, status, message, code };
  };
}

const NOT_SENT = { status: 'skipped', message: 'not sent', code: 'not_sent' } as const;
const OPEN = {
  status: 'unknown',
  message: 'sent, but no response was received',
  code: 'outcome_unknown',
  open: true,
} as const;

function duplicateResult(record: BulkRecord): RecordResult {
  return {
    record,
    status: 'skipped',
    message: 'not sent: another record has the same ID',
    code: 'duplicate',
  };
}
