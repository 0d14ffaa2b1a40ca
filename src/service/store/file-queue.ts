/** Runs one task at a time, in the order of the calls. */
export type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * Creates a queue that runs one task at a time. The queue of Kysely wakes all waiting tasks after
 * each task.
 */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result;
    return result;
  };
}

const openFiles = new Map<
  string,
  { readonly queue: SerialQueue; users: number; isPrepared: boolean }
>();
export interface FileQueue {
  readonly run: SerialQueue;
  /**
   * Runs `work` unless the file is already prepared. The work may open and close the file only if no
   * other connection has it open, because closing a file drops all POSIX locks of the process on it.
   */
  prepare(work: () => Promise<void>): Promise<void>;
  leave(): void;
}

/**
 * Joins the queue of a file. While SQLite waits for a lock, it blocks the process. Without a shared
 * queue, a connection could wait forever for another one in the same process.
 */
export function joinFileQueue(path: string): FileQueue {
  const file = openFiles.get(path) ?? { queue: createSerialQueue(), users: 0, isPrepared: false };
  openFiles.set(path, file);
  file.users += 1;
  let isClosed = false;
  return {
    run: file.queue,
    prepare: (work) =>
      file.queue(async () => {
        if (file.isPrepared) return;
        await work();
        file.isPrepared = true;
      }),
    leave: () => {
      if (!isClosed) file.users -= 1;
      isClosed = true;
      if (file.users === 0) openFiles.delete(path);
    },
  };
}
