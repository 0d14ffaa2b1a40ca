import type { Kysely } from 'kysely';
import { createStoreFile } from './location.ts';
import { upgrade } from './schema.ts';
import { openSqlite, waitForDisk } from './sqlite.ts';
import { atOpening, atWork, isNoTable } from './sqlite-errors.ts';
import type { Database, Store } from './store.ts';
import { refuseForeignFile } from './store-file.ts';
import type { Tables } from './tables.ts';
import { type FileTurns, sharedReads, turnsOf } from './turns.ts';

/** @throws SvcError `local` when the file cannot be used, `locked` when another process keeps it locked. */
export async function openSqliteStore(path: string, patience: number): Promise<Store> {
  const turns = turnsOf(path);
  let store: Store | undefined;
  try {
    await turns.prepare(async () => {
      await createStoreFile(path);
      await refuseForeignFile(path, patience);
    });
    store = storeOf(await openSqlite(path, patience), path, turns);
    await upgrade(store, path, isNoTable);
    return store;
  } catch (error) {
    await store?.close();
    turns.leave();
    throw atOpening(error, path);
  }
}

function storeOf(kysely: Kysely<Tables>, path: string, { inTurn, leave }: FileTurns): Store {
  const fail = (error: unknown): never => {
    throw atWork(error, path);
  };
  const transact = <Result>(work: (database: Database) => Promise<Result>) =>
    kysely.transaction().execute(work).catch(fail);
  const read = sharedReads((work) => inTurn(() => kysely.transaction().setAccessMode('read only').execute(work)));
  return {
    read: (work) => read(work).catch(fail),
    write: (work) => inTurn(() => transact(work)),
    writeRelaxed: (work) =>
      inTurn(async () => {
        await waitForDisk(kysely, false);
        try {
          return await transact(work);
        } finally {
          await waitForDisk(kysely, true);
        }
      }),
    empty: (tables) =>
      inTurn(() =>
        transact(async (database) => {
          for (const table of tables) await database.deleteFrom(table).execute();
        }),
      ),
    close: () => inTurn(() => kysely.destroy()).finally(leave),
  };
}
