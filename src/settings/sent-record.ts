import type { SentRecord } from './ledger.ts';
import type { PlannedItem, PlannedWrite } from './plan.ts';

/** Returns the ledger's record of a planned one. */
export function toSentRecord(
  { operation, shared }: Pick<PlannedWrite, 'operation' | 'shared'>,
  { key, data }: Pick<PlannedItem, 'key' | 'data'>,
): SentRecord {
  return { identity: [operation, key], data: [shared, data] };
}
