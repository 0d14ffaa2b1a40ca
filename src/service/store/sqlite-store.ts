import type { Kysely } from 'kysely';
import { createChangeSignals } from './change-signals.ts';
import { createSerialQueue, type FileQueue, joinFileQueue } from './file-queue.ts';
import { createStoreFile, IN_MEMORY } from './location.ts';
import type { DirectAdapter } from './prepared-query.ts';
import { upgradeStore } from './schema.ts';
import { batchReads, batchWrites } from './shared-transactions.ts';
import { openSqlite, setDurability } from './sqlite.ts';
import {
  isMissingSqliteTable,
  toSqliteOpenError,
  toSqliteTransactionError,
} from './sqlite-errors.ts';
import type { Store, Work, WriteScope } from './store.ts';
import { rejectForeignFile } from './store-file.ts';
import type { Tables } from './tables.ts';

/** @throws SvcError `local` if the file is not usable, `locked` if another process has locked it */
export async function openSqliteStore(path: string, busyTimeout: number): Promise<Store> {
  const queue = joinFileQueue(path);
  let store: Store | undefined;
  try {
    await queue.prepare(async () => {
      await createStoreFile(path);
      rejectForeignFile(path);
    });
    store = createStore(await openSqlite(path, busyTimeout), path, queue);
    await upgradeStore(store, path, isMissingSqliteTable);
    return store;
  } catch (error) {
    await store?.close();
    queue.leave();
    throw toSqliteOpenError(error, path);
  }
}

export async function openMemoryStore(): Promise<Store> {
  const store = createStore(await openSqlite(IN_MEMORY, 0), IN_MEMORY, joinFileQueue(IN_MEMORY));
  await upgradeStore(store, IN_MEMORY, isMissingSqliteTable);
  return store;
}

function createStore(kysely: Kysely<Tables>, path: string, { run, leave }: FileQueue): Store {
  const fail = (error: unknown): never => {
    throw toSqliteTransactionError(error, path);
  };
  const transact = <Result>(work: Work<Result>) => kysely.transaction().execute(work).catch(fail);
  const { rows, isInTransaction } = kysely.getExecutor().adapter as DirectAdapter;
  const read = batchReads((work) => run(() => transactReading(kysely, work)));
  const readBeside = createBesideReads(path);
  let largeWrites = 0;
  const writeAlone = async <Result>(work: Work<Result>): Promise<Result> => {
    largeWrites += 1;
    return run(() => transact(work)).finally(() => {
      largeWrites -= 1;
    });
  };
  const write = batchWrites(run, transact, {
    isInTransaction,
    execute: (sql) => void rows(sql, []),
  });
  const version = () => {
    try {
      return rows<{ data_version: number }>('pragma data_version', [])[0]?.data_version;
    } catch {
      // The next transaction reports the error.
      return undefined;
    }
  };
  return {
    version,
    signals: createChangeSignals(path, version),
    read: (work) =>
      (largeWrites > 0 && path !== IN_MEMORY ? readBeside.read(work) : read(work)).catch(fail),
    write: (work, { isLarge }: Partial<WriteScope> = {}) =>
      isLarge ? writeAlone(work) : write(work).catch(fail),
    writeRelaxed: (work) =>
      run(async () => {
        await setDurability(kysely, false);
        try {
          return await transact(work);
        } finally {
          await setDurability(kysely, true);
        }
      }),
    deleteAllRows: (tables) =>
      run(() =>
        transact(async (database) => {
          for (const table of tables) await database.deleteFrom(table).execute();
        }),
      ),
    close: () =>
      run(async () => {
        await readBeside.close();
        await kysely.destroy();
      }).finally(leave),
  };
}

const transactReading = <Result>(kysely: Kysely<Tables>, work: Work<Result>) =>
  kysely.transaction().setAccessMode('read only').execute(work);

/** Creates reads that do not wait for a write, on a connection that the first of them opens. */
function createBesideReads(path: string) {
  const enqueue = createSerialQueue();
  let opened: Kysely<Tables> | undefined;
  return {
    read: batchReads((work) =>
      enqueue(async () => {
        opened ??= await openSqlite(path, 0);
        return transactReading(opened, work);
      }),
    ),
    close: () => enqueue(async () => opened?.destroy()),
  };
}
