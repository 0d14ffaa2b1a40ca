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
/** Maximum number of tasks that run at the same time in a transaction. */
const MAX_CONCURRENT_TASKS = 8;

interface Task {
  /**
   * The part of the data that the task uses (default: all data). Tasks of different parts may run at
   * the same time.
   */
  readonly part?: string | symbol | undefined;
  /** Whether the task needs a transaction to itself, because others would wait for it for long. */
  readonly isLarge?: boolean | undefined;
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
 * Runs reads on several connections. Reads that wait for a connection share its next transaction and
 * run at the same time, which saves round trips.
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
      pending.unshift(...(await runTasks(share, transact, CONCURRENT)));
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
      pending.push({ part: Symbol('read'), run, fail: reject });
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
    pending.unshift(...(await runTasks(pending.splice(0), transact, LIMITED)));
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

/** Runs a write. Writes of different `part`s of the data may run at the same time. */
export type RemoteWrites = <Result>(
  work: Work<Result>,
  options?: { readonly part?: string | undefined; readonly isLarge?: boolean | undefined },
) => Promise<Result>;

/**
 * Runs the writes that wait for each other in a shared transaction. Writes of the same part of the
 * data run in their order. Savepoints cost round trips, so the transaction has none at first. If a
 * write fails, all of them run again one after another with a savepoint each, and the failed write
 * does not affect the others. Large writes run alone, alternating with the others.
 * @param onIdle called when no write is running or waiting
 */
export function batchRemoteWrites(
  transact: Transact,
  savepoints: RemoteSavepoints,
  onIdle: () => void,
): RemoteWrites {
  const pending: Task[] = [];
  let isRunning = false;
  const runPending = async () => {
    isRunning = true;
    // Requests that have already arrived may write too.
    await yieldToEvents();
    let isLarge = true;
    while (pending.length > 0) {
      const tasks = takeNext(pending, !isLarge);
      isLarge = tasks[0]?.isLarge ?? false;
      const rest =
        (await tryTasks(tasks, transact, CONCURRENT)) ??
        (await runTasks(tasks, transact, { ...LIMITED, run: runWithSavepoint }));
      pending.unshift(...rest);
    }
    isRunning = false;
    onIdle();
  };
  const runWithSavepoint: TaskRunner = async ({ run, fail }, database) => {
    await savepoints.execute(database, 'savepoint task');
    try {
      return await run(database);
    } catch (error) {
      if (savepoints.endsTransaction(error)) throw error;
      await savepoints.execute(database, 'rollback to savepoint task');
      forgetCached(database);
      return () => fail(error);
    }
  };
  return (work, { part, isLarge } = {}) =>
    new Promise((resolve, reject) => {
      const run: Task['run'] = async (database) => {
        const result = await work(database);
        return () => resolve(result);
      };
      pending.push({ part, isLarge, run, fail: reject });
      if (!isRunning) void runPending();
    });
}

/** Takes the oldest large task if there is one and `prefersLarge`, and otherwise all small tasks. */
function takeNext(pending: Task[], prefersLarge: boolean): readonly Task[] {
  const large = pending.findIndex((task) => task.isLarge);
  if (large >= 0 && (prefersLarge || pending.every((task) => task.isLarge)))
    return pending.splice(large, 1);
  const small = pending.filter((task) => !task.isLarge);
  pending.splice(0, pending.length, ...pending.filter((task) => task.isLarge));
  return small;
}

type TaskRunner = (task: Task, database: Database) => ReturnType<Task['run']>;

interface RunOptions {
  /** Time after which no task is started, in milliseconds. */
  readonly timeLimit?: number;
  /** Maximum number of tasks that run at the same time (default: 1). */
  readonly concurrency?: number;
  readonly run?: TaskRunner;
}

const LIMITED: RunOptions = { timeLimit: MAX_SHARED_TIME };
const CONCURRENT: RunOptions = { ...LIMITED, concurrency: MAX_CONCURRENT_TASKS };

/**
 * Runs tasks in one transaction, and settles them after its commit. If a task makes the transaction
 * unusable, runs each task in a transaction of its own.
 * @returns the tasks that were not started
 */
async function runTasks(
  tasks: readonly Task[],
  transact: Transact,
  options: RunOptions = {},
): Promise<readonly Task[]> {
  const rest = await tryTasks(tasks, transact, options);
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
  {
    timeLimit = Number.POSITIVE_INFINITY,
    concurrency = 1,
    run = (task, database) => task.run(database),
  }: RunOptions = {},
): Promise<readonly Task[] | undefined> {
  const errors: unknown[] = [];
  const settled = new Map<Task, () => void>();
  const runAll: Work<void> = async (database) => {
    // The transaction may run again after a deadlock.
    errors.length = 0;
    settled.clear();
    const end = monotonicTime() + timeLimit;
    let isOver = false;
    const runChains = async (chains: Iterable<readonly Task[]>) => {
      for (const chain of chains) {
        for (const task of chain) {
          if (isOver) return;
          try {
            settled.set(task, await run(task, database));
          } catch (error) {
            errors.push(error);
          }
          isOver ||= errors.length > 0 || monotonicTime() >= end;
        }
      }
    };
    for (const chains of stagesOf(tasks)) {
      const waiting = chains.values();
      // The transaction must not end while a task is running.
      await Promise.all(Array.from({ length: concurrency }, () => runChains(waiting)));
    }
    if (errors.length > 0) throw errors[0];
  };
  try {
    await transact(runAll);
  } catch (error) {
    if (errors.length > 0 && tasks.length > 1) return undefined;
    for (const { fail } of tasks) fail(error);
    return [];
  }
  for (const settle of settled.values()) settle();
  return tasks.filter((task) => !settled.has(task));
}

/**
 * Splits tasks into stages, which must run one after another. The chains of a stage may run at the
 * same time; the tasks of a chain have the same part, or all data.
 */
function* stagesOf(tasks: readonly Task[]): Generator<readonly (readonly Task[])[]> {
  for (let rest = tasks; rest.length > 0; ) {
    const usesAllData = rest[0]?.part === undefined;
    const next = rest.findIndex(({ part }) => (part === undefined) !== usesAllData);
    const stage = next < 0 ? rest : rest.slice(0, next);
    yield [...Map.groupBy(stage, ({ part }) => part).values()];
    rest = rest.slice(stage.length);
  }
}
