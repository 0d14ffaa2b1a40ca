import type { Journal } from '../../bulk/journal/journal.ts';
import type { RecordRange } from '../../bulk/journal/outcomes.ts';
import type { Change, Plan } from '../plan.ts';
import { createRecordKey, parseRecordKey } from '../settings.ts';

export interface ItemStates {
  readonly settled: Set<number>;
  readonly open: Set<number>;
  /** Number of users from a file. */
  users: number;
}

/**
 * Finds the items that earlier runs have sent, by index. Open items have no outcome: they may have
 * been applied.
 * @param items number of items; users from a file have the indexes that follow, and are only
 * counted
 */
export function readItemStates(journal: Journal, items: number): ItemStates {
  const states: ItemStates = { settled: new Set<number>(), open: new Set<number>(), users: 0 };
  for (const batch of journal.sentBatches()) {
    if (batch.first >= items) states.users += batch.count;
    else
      for (const index of indexesOf(batch)) states[batch.settled ? 'settled' : 'open'].add(index);
  }
  return states;
}

export function readOutcomes(journal: Journal, items: number) {
  const { settled, users } = readItemStates(journal, items);
  for (const { at } of journal.unsuccessfulRecords()) settled.delete(at);
  return { isWritten: (index: number) => settled.has(index), users };
}

/** The items of a plan that are written, by index, and the number of users from a file. */
export interface WrittenItems {
  readonly items: ReadonlySet<number>;
  readonly users: number;
}

export function findWritten(journal: Journal, items: number): WrittenItems {
  const { isWritten, users } = readOutcomes(journal, items);
  const indexes = Array.from({ length: items }, (_, index) => index);
  return { items: new Set(indexes.filter(isWritten)), users };
}

const NOTHING_WRITTEN: WrittenItems = { items: new Set(), users: 0 };

/** Failure of an item that svc records itself, without a response. */
export interface ItemFailure {
  readonly id: string;
  readonly message: string;
  readonly code: string;
}

export interface MadeChanges {
  readonly changes: readonly Change[];
  readonly users: number;
}

/** @param earlier items to leave out, because they were written before */
export function findMadeChanges(
  { writes, changes }: Pick<Plan, 'writes' | 'changes'>,
  journal: Journal,
  earlier = NOTHING_WRITTEN,
): MadeChanges {
  const items = writes.flatMap((write) => write.items);
  const { isWritten, users } = readOutcomes(journal, items.length);
  const unwritten = new Set(
    items.flatMap(({ key }, index) => {
      const { kind, org, id } = parseRecordKey(key);
      const isMade = isWritten(index) && !earlier.items.has(index);
      return isMade ? [] : [createRecordKey(kind, org, id)];
    }),
  );
  const isMade = ({ kind, org, id, sign, after }: Change) =>
    sign !== '!' &&
    sign !== '?' &&
    typeof after !== 'number' &&
    !unwritten.has(createRecordKey(kind, org, String(id)));
  return { changes: changes.filter(isMade), users: users - earlier.users };
}

export function reopenFailures(journal: Journal): void {
  const failed = new Set<number>();
  for (const { at, status } of journal.unsuccessfulRecords()) if (status !== 'open') failed.add(at);
  reopenItems(journal, failed);
}

/** Records items that succeeded but were stored differently as failed. */
export function failItems(journal: Journal, failures: ReadonlyMap<number, ItemFailure>): void {
  reopenItems(journal, new Set(failures.keys()));
  settleItems(journal, new Set(), failures);
}

/**
 * Records outcomes of items without a request. Other items of an open batch stay open.
 * @param succeeded indexes of items that were written
 */
export function settleItems(
  journal: Journal,
  succeeded: ReadonlySet<number>,
  failures: ReadonlyMap<number, ItemFailure>,
): void {
  const isSettled = (index: number) => succeeded.has(index) || failures.has(index);
  const open = [...journal.sentBatches()].filter(
    (batch) => !batch.settled && indexesOf(batch).some(isSettled),
  );
  const covered = new Set(open.flatMap(indexesOf));
  const others = [...succeeded, ...failures.keys()].filter((index) => !covered.has(index));
  const unsent = groupConsecutive(others.toSorted((a, b) => a - b));
  for (const { first, last, count } of [...open, ...unsent]) {
    const range = { first, last, count };
    const indexes = indexesOf(range);
    journal.recordIntents([range]);
    journal.recordOutcome({
      range,
      known: groupConsecutive(indexes.filter(isSettled)),
      open: groupConsecutive(indexes.filter((index) => !isSettled(index))),
      items: indexes.flatMap((at) => {
        const failure = failures.get(at);
        return failure ? [{ at, line: null, status: 'failed' as const, ...failure }] : [];
      }),
      requests: 0,
      retries: 0,
    });
  }
  journal.flush();
}

function reopenItems(journal: Journal, items: ReadonlySet<number>): void {
  for (const batch of [...journal.sentBatches()].filter(({ settled }) => settled)) {
    const others = indexesOf(batch).filter((index) => !items.has(index));
    if (others.length < batch.count) journal.reopen(batch, groupConsecutive(others));
  }
  journal.flush();
}

function indexesOf({ first, last }: RecordRange): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

function groupConsecutive(indexes: readonly number[]): readonly RecordRange[] {
  const ranges: { first: number; last: number; count: number }[] = [];
  for (const index of indexes) {
    const range = ranges.at(-1);
    if (range?.last !== index - 1) ranges.push({ first: index, last: index, count: 1 });
    else Object.assign(range, { last: index, count: range.count + 1 });
  }
  return ranges;
}
