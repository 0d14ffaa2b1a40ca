import type { PlannedItem, PlannedWrite } from './plan.ts';

/** A record that cannot be read back: its identity among the records of its target, and everything that is sent for it. */
export interface SentRecord {
  readonly identity: readonly (string | undefined)[];
  readonly data: unknown;
}

/** Returns what the ledger remembers of a planned record. */
export function toSentRecord(
  { operation, shared }: Pick<PlannedWrite, 'operation' | 'shared'>,
  { key, data }: Pick<PlannedItem, 'key' | 'data'>,
): SentRecord {
  return { identity: [operation, key], data: [shared, data] };
}
