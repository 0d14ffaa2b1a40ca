import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import type { SerialQueue } from './file-queue.ts';
import type { Database, Store, Work } from './store.ts';

type Transact = <Result>(work: Work<Result>) => Promise<Result>;
/**
 * Maximum time to start tasks in a shared transaction, in milliseconds. The first task waits for
 * the last.
 */
const MAX_SHARED_TIME = 25;

interface Task {
  /**
   * Returns a function that settles the caller's promise. Rejects if the transaction is not usable
   * anymore.
   */
  readonly run: Work<() => void>;
  readonly fail: (error: unknown) => void;
}

/**
 * Runs the reads of one turn of the event loop in a shared transaction. For a small read, most of
 * the cost is the transaction. A failed read does not affect the others.
 */
export function batchReads(transact: Transact): Store['read'] {
  const pending: Task[] = [];
  const runAll = () => runTasks(pending.splice(0), transact);
  return (work) =>
    new Promise((resolve, reject) => {
      if (pending.length === 0) setImmediate(runAll);
      const complete = (database: Database) =>
        work(database).then((result) => () => resolve(result));
      pending.push({
        run: (database) => complete(database).catch((error) => () => reject(error)),
        fail: reject,
      });
    });
}

/**
 * Runs reads on several connections. Reads that wait for a connection share its next transaction,
 * which saves round trips.
 * @param endsTransaction whether the transaction is not usable after this error of a read
 */
export function poolReads(
  connections: number,
  transact: Transact,
  endsTransaction: (error: unknown) => boolean,
): Store['read'] {
  const pending: Task[] = [];
  let active = 0;
  const runPending = async () => {
    active++;
    while (pending.length > 0) {
      const share = pending.splice(0, Math.ceil(pending.length / connections));
      pending.unshift(...(await runTasks(share, transact, MAX_SHARED_TIME)));
    }
    active--;
  };
  return (work) =>
    new Promise((resolve, reject) => {
      const run: Task['run'] = async (database) => {
        try {
          const result = await work(database);
          return () => resolve(result);
        } catch (error) {
          if (endsTransaction(error)) throw error;
          return () => reject(error);
        }
      };
      pending.push({ run, fail: reject });
      if (active < connections) void runPending();
    });
}

export interface Savepoints {
  readonly isInTransaction: () => boolean;
  readonly execute: (sql: 'savepoint task' | 'rollback to task' | 'release task') => void;
}

/**
 * Runs the writes that wait for the queue in a shared transaction, in their order. For a small
 * write, most of the cost is the commit. A failed write is rolled back and does not affect the
 * others.
 */
export function batchWrites(
  enqueue: SerialQueue,
  transact: Transact,
  savepoints: Savepoints,
): Store['write'] {
  const { execute, isInTransaction } = savepoints;
  const pending: Task[] = [];
  const runPending = async () => {
    // Requests that have already arrived may write too.
    await yieldToEvents();
    pending.unshift(...(await runTasks(pending.splice(0), transact, MAX_SHARED_TIME)));
  };
  return (work) =>
    new Promise((resolve, reject) => {
      const run: Task['run'] = async (database) => {
        execute('savepoint task');
        try {
          const result = await work(database);
          return () => resolve(result);
        } catch (error) {
          // After some errors, such as a full disk, SQLite has rolled back the whole transaction.
          if (!isInTransaction()) throw error;
          execute('rollback to task');
          return () => reject(error);
        } finally {
          if (isInTransaction()) execute('release task');
        }
      };
      const task = { run, fail: reject };
      pending.push(task);
      void enqueue(async () => (pending[0] === task ? runPending() : undefined));
    });
}

/**
 * Runs tasks in one transaction, and settles them after its commit. If a task makes the transaction
 * unusable, runs each task in a transaction of its own.
 * @param timeLimit time after which no task is started, in milliseconds
 * @returns the tasks that were not started
 */
async function runTasks(
  tasks: readonly Task[],
  transact: Transact,
  timeLimit = Number.POSITIVE_INFINITY,
) {
  let isUsable = true;
  const settled: (() => void)[] = [];
  const runAll: Work<void> = async (database) => {
    const end = performance.now() + timeLimit;
    for (const { run } of tasks) {
      isUsable = false;
      settled.push(await run(database));
      isUsable = true;
      if (performance.now() >= end) return;
    }
  };
  try {
    await transact(runAll);
  } catch (error) {
    if (isUsable || tasks.length === 1) for (const { fail } of tasks) fail(error);
    else for (const task of tasks) await runTasks([task], transact);
    return [];
  }
  for (const settle of settled) settle();
  return tasks.slice(settled.length);
}
