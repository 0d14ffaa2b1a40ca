import type { Database, Store } from './store.ts';

/** Creates a queue that runs one task at a time. The queue of Kysely wakes all waiting tasks after each task. */
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

export type FileQueue = ReturnType<typeof joinFileQueue>;

/**
 * Joins the queue of a file. While SQLite waits for a lock, it blocks the process. Without a shared queue, a connection
 * could wait forever for another one in the same process.
 */
export function joinFileQueue(path: string) {
  const file = openFiles.get(path) ?? { queue: createSerialQueue(), users: 0, isPrepared: false };
  openFiles.set(path, file);
  file.users += 1;
  let isClosed = false;
  return {
    run: file.queue,
    /**
     * Runs `work` unless the file is already prepared. The work may open and close the file only if no other connection
     * has it open, because closing a file drops all POSIX locks of the process on it.
     */
    prepare: (work: () => Promise<void>) =>
      file.queue(async () => {
        if (file.isPrepared) return;
        await work();
        file.isPrepared = true;
      }),
    /** Leaves the queue. Repeated calls do nothing. */
    leave: () => {
      if (!isClosed) file.users -= 1;
      isClosed = true;
      if (file.users === 0) openFiles.delete(path);
    },
  };
}

/**
 * Runs the reads of one turn of the event loop in a shared transaction. For a small read, most of the cost is the
 * transaction. A failed read does not affect the others.
 */
export function batchReads(
  transact: <Result>(work: (database: Database) => Promise<Result>) => Promise<Result>,
): Store['read'] {
  /** Each read returns a function that settles the caller's promise. */
  let pending: { readonly read: (database: Database) => Promise<() => void>; readonly fail: (error: unknown) => void }[] = [];
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
      const read = (database: Database) =>
        work(database).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        );
      pending.push({ read, fail: reject });
    });
}
