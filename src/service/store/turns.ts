import type { Database, Store } from './store.ts';

/** Runs one piece of work at a time. Kysely would do so too, but wakes everyone who waits each time one is done. */
export function oneAfterTheOther() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result;
    return result;
  };
}

type Turns = ReturnType<typeof oneAfterTheOther>;

const shared = new Map<string, { readonly turns: Turns; users: number }>();

/**
 * The turns of all users of one file in this process. SQLite waits for a lock without letting anything else run, so a
 * connection that waited for another one of its own process would keep that one from ever giving the lock back.
 * @returns the turns, and a function that says that this user needs no more
 */
export function turnsOf(path: string): { readonly inTurn: Turns; readonly leave: () => void } {
  const entry = shared.get(path) ?? { turns: oneAfterTheOther(), users: 0 };
  shared.set(path, entry);
  entry.users += 1;
  let hasLeft = false;
  const leave = () => {
    if (!hasLeft) entry.users -= 1;
    hasLeft = true;
    if (entry.users === 0) shared.delete(path);
  };
  return { inTurn: entry.turns, leave };
}

/** A read, which resolves to what tells its caller the outcome. */
type Read = (database: Database) => Promise<() => void>;

/**
 * Runs the reads that are asked for in one turn of the event loop in one transaction: to begin and end it is most of
 * what a small read costs. One that fails does not touch the others.
 */
export function sharedReads(
  transact: <Result>(work: (database: Database) => Promise<Result>) => Promise<Result>,
): Store['read'] {
  let waiting: { readonly read: Read; readonly fail: (error: unknown) => void }[] = [];
  const runAll = async () => {
    const reads = waiting;
    waiting = [];
    try {
      const outcomes = await transact(async (database) => {
        const settled: (() => void)[] = [];
        for (const { read } of reads) settled.push(await read(database));
        return settled;
      });
      for (const tell of outcomes) tell();
    } catch (error) {
      for (const { fail } of reads) fail(error);
    }
  };
  return (work) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(runAll);
      const read: Read = (database) =>
        work(database).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        );
      waiting.push({ read, fail: reject });
    });
}
