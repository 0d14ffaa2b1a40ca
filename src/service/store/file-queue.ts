import type { Database, Store } from './store.ts';

/** Creates a queue that runs one task at a time. Kysely's own queue wakes every waiting task after each one. */
export function createSerialQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result;
    return result;
  };
}

type SerialQueue = ReturnType<typeof createSerialQueue>;

const openFiles = new Map<string, { readonly queue: SerialQueue; users: number; isPrepared: boolean }>();

/** The shared queue of all connections to one file in this process. */
export type FileQueue = ReturnType<typeof joinFileQueue>;

/**
 * Joins the queue of a file. SQLite blocks the whole process while it waits for a lock, so without a shared queue, a
 * connection could wait forever for another connection of the same process.
 */
export function joinFileQueue(path: string) {
  const file = openFiles.get(path) ?? { queue: createSerialQueue(), users: 0, isPrepared: false };
  openFiles.set(path, file);
  file.users += 1;
  let isClosed = false;
  return {
    run: file.queue,
    /**
     * Runs `work` unless an open connection has already done so. The work may open and close the file, which would drop the
     * POSIX locks that other connections of this process hold.
     */
    prepare: (work: () => Promise<void>) =>
      file.queue(async () => {
        if (file.isPrepared) return;
        await work();
        file.isPrepared = true;
      }),
    /** Ends this use of the file. Further calls do nothing. */
    leave: () => {
      if (!isClosed) file.users -= 1;
      isClosed = true;
      if (file.users === 0) openFiles.delete(path);
    },
  };
}

/** A read that resolves to a function that settles the caller's promise. */
type Read = (database: Database) => Promise<() => void>;

/**
 * Runs all reads that are requested in one turn of the event loop in one transaction, because starting and ending a
 * transaction is most of the cost of a small read. A failed read does not affect the others.
 */
export function batchReads(
  transact: <Result>(work: (database: Database) => Promise<Result>) => Promise<Result>,
): Store['read'] {
  let pending: { readonly read: Read; readonly fail: (error: unknown) => void }[] = [];
  const runAll = async () => {
    const reads = pending;
    pending = [];
    try {
      const outcomes = await transact(async (database) => {
        const settled: (() => void)[] = [];
        for (const { read } of reads) settled.push(await read(database));
        return settled;
      });
      for (const complete of outcomes) complete();
    } catch (error) {
      for (const { fail } of reads) fail(error);
    }
  };
  return (work) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(runAll);
      const read: Read = (database) =>
        work(database).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        );
      pending.push({ read, fail: reject });
    });
}
