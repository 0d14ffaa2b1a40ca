import type { SentRecord } from './ledger.ts';
import type { PlannedItem, PlannedWrite } from './plan.ts';

export function toSentRecord(
  { operation, shared }: Pick<PlannedWrite, 'operation' | 'shared'>,
  { key, data }: Pick<PlannedItem, 'key' | 'data'>,
): SentRecord {
  return { identity: [operation, key], data: [shared, data] };
}
