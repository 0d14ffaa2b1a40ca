import type { Journal } from '../../bulk/journal/journal.ts';
import type { Change, Plan, RecordKey } from '../plan.ts';
import { createRecordKey, parseRecordKey } from '../record-key.ts';
import { readOutcomes } from './item-states.ts';

export interface MadeChanges {
  /** Changes of records whose writes all succeeded. */
  readonly changes: readonly Change[];
  readonly users: number;
}

export function findMadeChanges({ writes, changes }: Pick<Plan, 'writes' | 'changes'>, journal: Journal): MadeChanges {
  const items = writes.flatMap((write) => write.items);
  const { isWritten, users } = readOutcomes(journal, items.length);
  const unwritten = new Set(items.flatMap(({ key }, index) => (isWritten(index) ? [] : [recordOf(key)])));
  const isMade = ({ kind, org, id, sign, after }: Change) =>
    sign !== '!' && sign !== '?' && typeof after !== 'number' && !unwritten.has(createRecordKey(kind, org, String(id)));
  return { changes: changes.filter(isMade), users };
}

function recordOf(key: RecordKey): RecordKey {
  const { kind, org, id } = parseRecordKey(key);
  return createRecordKey(kind, org, id);
}
