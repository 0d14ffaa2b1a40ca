import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../../../src/service/store/store.ts';

const ROWS = 200;

/**
 * Fills several tables with rows that contain a generation number. Replaces the rows of the
 * previous generation.
 */
export async function writeGeneration(
  store: Store,
  apiKey: string,
  generation: number,
): Promise<void> {
  const value = String(generation);
  await store.write(async (database) => {
    for (const table of ['documents', 'users', 'organizations'] as const)
      await database.deleteFrom(table).execute();
    const organization = {
      key: 1,
      apiKey,
      organizationId: 'acme',
      organizationName: value,
      createdAt: 1,
    };
    await database.insertInto('organizations').values(organization).execute();
    const ids = Array.from({ length: ROWS }, (_, at) => `${value}-${at}`);
    const users = ids.map((id) => ({ organization: 1, userId: id, id, name: value }));
    await database.insertInto('users').values(users).execute();
    const documents = ids.map((id) => ({
      organization: 1,
      documentId: id,
      id,
      documentName: value,
      createdAt: 1,
    }));
    await database.insertInto('documents').values(documents).execute();
  });
}

/**
 * Reads the generations of all rows in one transaction. An incomplete table counts as generation
 * -1.
 */
export function countGenerations(database: DatabaseSync): readonly number[] {
  database.exec('begin');
  const tables = [
    ['organizations', 'organizationName', 1],
    ['users', 'name', ROWS],
    ['documents', 'documentName', ROWS],
  ] as const;
  const found = tables.flatMap(([table, column, expected]) => {
    const rows = database
      .prepare(`select "${column}" as value, count(*) as count from "${table}" group by 1`)
      .all();
    const count = rows.reduce((sum, row) => sum + Number(row['count']), 0);
    return [...rows.map(({ value }) => Number(value)), ...(count === expected ? [] : [-1])];
  });
  database.exec('commit');
  return [...new Set(found)];
}
