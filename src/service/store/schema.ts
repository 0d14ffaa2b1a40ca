import { SvcError } from '../../kernel/errors.ts';
import type { Database, Store } from './store.ts';

/** The schema that this code reads and writes: the number of migrations. */
export const SCHEMA_VERSION = 3;

/**
 * Makes or upgrades what a store is made of, where that is due.
 * @param name the store, as messages speak of it
 * @param isNoTable tells the database's error for a table that does not exist from others
 * @throws SvcError `local` when it was written by a newer svc.
 */
export async function upgrade(store: Store, name: string, isNoTable: (error: unknown) => boolean): Promise<void> {
  const version = await store.read(versionOf).catch((error) => {
    if (isNoTable(error)) return 0;
    throw error;
  });
  if (version > SCHEMA_VERSION) {
    throw new SvcError('local', `the store ${name} was written by a newer svc`, {
      hint: 'update svc, or choose another store with --store',
    });
  }
  if (version < SCHEMA_VERSION) {
    const { migrate } = await import('./migrations.ts');
    await store.write((database) => migrate(database));
  }
}

async function versionOf(database: Database): Promise<number> {
  const found = await database.selectFrom('schemaVersion').select('version').executeTakeFirst();
  return found?.version ?? 0;
}
