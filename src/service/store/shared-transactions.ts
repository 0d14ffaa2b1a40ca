import { monotonicTime } from '../../kernel/process.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import type { SerialQueue } from './file-queue.ts';
import type { Database, Store, Work } from './store.ts';
import { forgetCached } from './transaction-cache.ts';

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

/** Savepoints of a database that can be used synchronously. */
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
          forgetCached(database);
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

export interface RemoteSavepoints {
  readonly execute: (
    database: Database,
    sql: 'savepoint task' | 'rollback to savepoint task',
  ) => Promise<unknown>;
  /** Whether the transaction is not usable after this error, even with a savepoint. */
  readonly endsTransaction: (error: unknown) => boolean;
}

/**
 * Runs the writes that wait for each other in a shared transaction, in their order. Savepoints cost
 * round trips, so the transaction has none at first. If a write fails, all of them run again with a
 * savepoint each, and the failed write does not affect the others.
 * @param onIdle called when no write is running or waiting
 */
export function batchRemoteWrites(
  transact: Transact,
  savepoints: RemoteSavepoints,
  onIdle: () => void,
): Store['write'] {
  const pending: Task[] = [];
  let isRunning = false;
  const runPending = async () => {
    isRunning = true;
    // Requests that have already arrived may write too.
    await yieldToEvents();
    while (pending.length > 0) {
      const tasks = pending.splice(0);
      const rest =
        (await tryTasks(tasks, transact, MAX_SHARED_TIME)) ??
        (await runTasks(tasks.map(withSavepoint), transact, MAX_SHARED_TIME));
      const first = tasks.length - rest.length;
      pending.unshift(...tasks.slice(first));
    }
    isRunning = false;
    onIdle();
  };
  const withSavepoint = ({ run, fail }: Task): Task => ({
    fail,
    run: async (database) => {
      await savepoints.execute(database, 'savepoint task');
      try {
        return await run(database);
      } catch (error) {
        if (savepoints.endsTransaction(error)) throw error;
        await savepoints.execute(database, 'rollback to savepoint task');
        forgetCached(database);
        return () => fail(error);
      }
    },
  });
  return (work) =>
    new Promise((resolve, reject) => {
      const run: Task['run'] = async (database) => {
        const result = await work(database);
        return () => resolve(result);
      };
      pending.push({ run, fail: reject });
      if (!isRunning) void runPending();
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
): Promise<readonly Task[]> {
  const rest = await tryTasks(tasks, transact, timeLimit);
  if (rest) return rest;
  for (const task of tasks) await tryTasks([task], transact);
  return [];
}

/**
 * Runs tasks in one transaction, like `runTasks`.
 * @returns the tasks that were not started; `undefined` if a task made the transaction unusable, and
 * no task is settled
 */
async function tryTasks(
  tasks: readonly Task[],
  transact: Transact,
  timeLimit = Number.POSITIVE_INFINITY,
): Promise<readonly Task[] | undefined> {
  let isUsable = true;
  const settled: (() => void)[] = [];
  const runAll: Work<void> = async (database) => {
    // The transaction may run again after a deadlock.
    settled.length = 0;
    const end = monotonicTime() + timeLimit;
    for (const { run } of tasks) {
      isUsable = false;
      settled.push(await run(database));
      isUsable = true;
      if (monotonicTime() >= end) return;
    }
  };
  try {
    await transact(runAll);
  } catch (error) {
    if (!isUsable && tasks.length > 1) return undefined;
    for (const { fail } of tasks) fail(error);
    return [];
  }
  for (const settle of settled) settle();
  return tasks.slice(settled.length);
}
