import type { Kysely } from 'kysely';
import { SvcError } from '../../kernel/errors.ts';
import { ServiceError } from '../errors.ts';
import { createStoreFile, storeFile } from './location.ts';
import { isBusy, openSqlite, waitForDisk } from './sqlite.ts';
import type { Database, Store } from './store.ts';
import type { Tables } from './tables.ts';
import { sharedReads, turnsOf } from './turns.ts';

/** The schema that this code reads and writes: the number of migrations. */
export const SCHEMA_VERSION = 2;

const BUSY_TIMEOUT = 10_000;

/**
 * Opens a store, and makes or upgrades it first where that is due.
 * @param location a path, or `sqlite:` and a path
 * @param patience milliseconds that a write waits for another process
 * @throws SvcError `local` when it cannot be used, or was written by a newer svc.
 */
export async function openStore(location: string, patience = BUSY_TIMEOUT): Promise<Store> {
  const path = storeFile(location);
  await createStoreFile(path);
  let kysely: Kysely<Tables> | undefined;
  try {
    kysely = await openSqlite(path, patience);
    await upgrade(kysely, path);
  } catch (error) {
    await kysely?.destroy();
    throw error instanceof SvcError ? error : unusable(path, error);
  }
  return storeOf(kysely, path);
}

async function upgrade(kysely: Kysely<Tables>, path: string): Promise<void> {
  const version = await schemaVersion(kysely);
  if (version > SCHEMA_VERSION) {
    throw new SvcError('local', `the store ${path} was written by a newer svc`, {
      hint: 'update svc, or choose another store with --store',
    });
  }
  if (version < SCHEMA_VERSION) await (await import('./migrations.ts')).migrate(kysely);
}

async function schemaVersion(kysely: Kysely<Tables>): Promise<number> {
  try {
    const found = await kysely.selectFrom('schemaVersion').select('version').executeTakeFirst();
    return found?.version ?? 0;
  } catch (error) {
    if (error instanceof Error && error.message.includes('no such table')) return 0;
    throw error;
  }
}

function storeOf(kysely: Kysely<Tables>, path: string): Store {
  const { inTurn, leave } = turnsOf(path);
  const transact = async <Result>(work: (database: Database) => Promise<Result>) => {
    try {
      return await kysely.transaction().execute(work);
    } catch (error) {
      throw isBusy(error) ? new ServiceError('UNAVAILABLE', 'The store is busy.') : error;
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
    close: () => inTurn(() => kysely.destroy()).finally(leave),
  };
}

function unusable(path: string, error: unknown): SvcError {
  const reason = error instanceof Error ? error.message : String(error);
  return new SvcError('local', `cannot open the store ${path}: ${reason}`, {
    hint: 'choose another store with --store',
    cause: error,
  });
}
