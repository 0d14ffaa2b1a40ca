import { SvcError } from '../../kernel/errors.ts';
import type { Database, Store } from './store.ts';

export const SCHEMA_VERSION = 7;

/**
 * Creates or upgrades the tables.
 * @throws SvcError `local` if the store was written by a newer svc
 */
export async function upgradeStore(
  store: Store,
  name: string,
  isMissingTable: (error: unknown) => boolean,
): Promise<void> {
  const version = await store.read(readVersion).catch((error) => {
    if (isMissingTable(error)) return 0;
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

async function readVersion(database: Database): Promise<number> {
  const found = await database.selectFrom('schemaVersion').select('version').executeTakeFirst();
  return found?.version ?? 0;
}
