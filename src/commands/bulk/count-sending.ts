import { type BatchLimits, splitIntoBatches } from '../../bulk/batches.ts';
import { isObject } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import type { SendingPlan } from './check-report.ts';
import type { CheckedInput } from './gather-input.ts';
import { findNewOrganizations } from './new-organizations.ts';
import { readRecords } from './pending-records.ts';

/**
 * Counts the requests for checked records, and the records of each organization.
 * @param ids the organizations that the records go to
 */
export async function countSending(
  context: Context,
  input: CheckedInput,
  limits: BatchLimits,
  ids: readonly string[],
): Promise<SendingPlan> {
  const totals = new Map(ids.map((id) => [id, 0]));
  let requests = 0;
  for await (const batch of splitIntoBatches(readRecords(input), limits)) {
    requests += 1;
    const [record] = batch.records;
    const own = isObject(record?.value) ? record.value : {};
    const id = { ...own, ...input.data, ...record?.target?.data }['organizationId'];
    const total = typeof id === 'string' ? totals.get(id) : undefined;
    if (total !== undefined) totals.set(String(id), total + batch.records.length);
  }
  if (ids.length === 0) return { requests };
  const unseen = await findNewOrganizations(context, ids);
  const organizations = Array.from(totals, ([id, total]) => ({ id, total, new: unseen.has(id) }));
  return { requests, organizations };
}
