import type { Kysely } from 'kysely';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';
import { createStoreFile } from './location.ts';
import { upgrade } from './schema.ts';
import { isBusy, isNoTable, openSqlite, waitForDisk } from './sqlite.ts';
import type { Database, Store } from './store.ts';
import type { Tables } from './tables.ts';
import { sharedReads, turnsOf } from './turns.ts';

/** @throws SvcError `local` when the file cannot be used. */
export async function openSqliteStore(path: string, patience: number): Promise<Store> {
  await createStoreFile(path);
  let store: Store | undefined;
  try {
    store = storeOf(await openSqlite(path, patience), path);
    await upgrade(store, path, isNoTable);
    return store;
  } catch (error) {
    await store?.close();
    throw error instanceof SvcError ? error : unusable(path, error);
  }
}

function storeOf(kysely: Kysely<Tables>, path: string): Store {
  const { inTurn, leave } = turnsOf(path);
  const transact = async <Result>(work: (database: Database) => Promise<Result>) => {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      throw isBusy(error) ? new Refusal('UNAVAILABLE', 'The store is busy.') : error;
    }
  };
  return {
    read: sharedReads((work) => inTurn(() => kysely.transaction().setAccessMode('read only').execute(work))),
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

function unusable(path: string, error: unknown): SvcError {
  const reason = messageOf(error);
  return new SvcError('local', `cannot open the store ${path}: ${reason}`, {
    hint: 'choose another store with --store',
    cause: error,
  });
}
