import type { SendBatchRequest } from './batch-request.ts';
import type { RecordList, RecordResult } from './batches.ts';
import type { ExistingCounts } from './journal/outcomes.ts';

/**
 * Checks whether existing records match the ones that were sent. Omits records that cannot be read.
 */
export type LookUpRecords = (records: RecordList) => Promise<ReadonlyMap<string, boolean>>;

/** How to handle records that already exist, instead of failing them. */
export type ExistingRecords<Send = SendBatchRequest> =
  | { readonly action: 'skip' }
  | { readonly action: 'update'; readonly lookUp: LookUpRecords; readonly send: Send };

export function addExisting(
  counts: ExistingCounts,
  items: readonly RecordResult[],
): ExistingCounts {
  if (!items.some(({ status, effect }) => status === 'existing' || effect)) return counts;
  const sum = { ...counts };
  for (const { status, effect, record } of items) {
    const organization = record.target?.data['organizationId'];
    if (status === 'existing') sum.existing += 1;
    if (status === 'existing' && organization !== undefined)
      sum.organizations = countOrganization(sum.organizations ?? {}, String(organization));
    if (status === 'succeeded' && effect) sum[effect] += 1;
  }
  return sum;
}

const MAX_ORGANIZATIONS = 200;

function countOrganization(
  counts: Readonly<Record<string, number>>,
  id: string,
): Readonly<Record<string, number>> {
  if (!Object.hasOwn(counts, id) && Object.keys(counts).length >= MAX_ORGANIZATIONS) return counts;
  return { ...counts, [id]: (counts[id] ?? 0) + 1 };
}

/**
 * Settles records that exist: an earlier request may have created them. A record that matches has
 * succeeded.
 */
export async function settleExisting(
  items: readonly RecordResult[],
  lookUp: LookUpRecords | undefined,
): Promise<readonly RecordResult[]> {
  const doubtful = items.filter(alreadyExists);
  if (doubtful.length === 0) return items;
  const found = await lookUp?.(doubtful.map(({ record }) => record));
  return items.map((item) =>
    alreadyExists(item) ? settleExistingRecord(item, found?.get(item.record.id)) : item,
  );
}

/**
 * Skips or updates the records that existed before the job.
 * @param update sends the updates of records that differ
 */
export async function resolveExisting<Send>(
  items: readonly RecordResult[],
  existing: ExistingRecords<Send> | undefined,
  update: (records: RecordList, send: Send) => Promise<readonly RecordResult[]>,
): Promise<readonly RecordResult[]> {
  const found = items.filter(alreadyExists);
  if (!existing || found.length === 0) return items;
  const others = items.filter((item) => !alreadyExists(item));
  if (existing.action === 'skip')
    return [...others, ...found.map((item) => ({ ...item, status: 'existing' as const }))];
  const asSent = await existing.lookUp(found.map(({ record }) => record));
  const unchanged = found.filter(({ record }) => asSent.get(record.id) === true);
  const changed = found.map(({ record }) => record).filter(({ id }) => asSent.get(id) !== true);
  const updated = changed.length === 0 ? [] : await update(changed, existing.send);
  const marked = updated.map((item) =>
    item.status === 'succeeded' ? { ...item, effect: 'updated' as const } : item,
  );
  return [...others, ...unchanged.map(markUnchanged), ...marked];
}

function alreadyExists({ status, code }: RecordResult): boolean {
  return status === 'failed' && code === 'already-exists';
}

function settleExistingRecord(item: RecordResult, isAsSent: boolean | undefined): RecordResult {
  if (isAsSent === false) return item;
  if (isAsSent)
    return { ...markUnchanged(item), message: 'the record already existed when it was sent again' };
  const message = `${item.message ?? 'the record already exists'}; an earlier request with an unknown outcome may have added it`;
  return { ...item, status: 'unknown', message, code: 'outcome_unknown' };
}

function markUnchanged({ record }: RecordResult): RecordResult {
  return {
    record,
    status: 'succeeded',
    message: 'the record already exists with these values',
    code: null,
    effect: 'unchanged',
  };
}
