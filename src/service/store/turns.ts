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

interface OpenFile {
  readonly turns: Turns;
  users: number;
  isPrepared: boolean;
}

const openFiles = new Map<string, OpenFile>();

/** The turns of all connections to one file in this process. */
export interface FileTurns {
  readonly inTurn: Turns;
  /** Runs `work` unless a connection that is still open did: it may open and close the file, which drops the POSIX locks of this process. */
  readonly prepare: (work: () => Promise<void>) => Promise<void>;
  /** Ends this use of the file; further calls do nothing. */
  readonly leave: () => void;
}

/**
 * Joins the turns of a file. SQLite waits for a lock without letting anything else run, so a connection that waited for another one of
 * its own process would keep that one from ever releasing the lock.
 */
export function turnsOf(path: string): FileTurns {
  const file = openFiles.get(path) ?? { turns: oneAfterTheOther(), users: 0, isPrepared: false };
  openFiles.set(path, file);
  file.users += 1;
  let hasLeft = false;
  return {
    inTurn: file.turns,
    prepare: (work) =>
      file.turns(async () => {
        if (file.isPrepared) return;
        await work();
        file.isPrepared = true;
      }),
    leave: () => {
      if (!hasLeft) file.users -= 1;
      hasLeft = true;
      if (file.users === 0) openFiles.delete(path);
    },
  };
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
