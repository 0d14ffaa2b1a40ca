import type { Selectable } from 'kysely';
import type { MigrationStatus } from '../store/key-tables.ts';
import { prepared } from '../store/prepared.ts';
import type { Database, Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type Migration = Selectable<Tables['documentMigrations']>;

/** Statuses of a migration that has work left. */
const UNFINISHED: readonly MigrationStatus[] = ['pending', 'in_progress'];

export function isUnfinished({ status }: Pick<Migration, 'status'>): boolean {
  return UNFINISHED.includes(status);
}

export const selectMigration = prepared(
  (database, given: Pick<Migration, 'apiKey' | 'organizationId' | 'migrationId'>) =>
    database
      .selectFrom('documentMigrations')
      .selectAll()
      .where('migrationId', '=', given.migrationId)
      .where('apiKey', '=', given.apiKey)
      .where('organizationId', '=', given.organizationId),
);

/**
 * Does what is left of a migration. It may be stopped at any point and begun anew, by another process too: each step is
 * one transaction, which first looks where the migration is.
 */
export async function finishMigration(store: Store, migrationId: string): Promise<void> {
  while (await store.write((database) => advance(database, migrationId)));
}

/** As `finishMigration`, for all that were stopped. */
export async function finishMigrations(store: Store): Promise<void> {
  const unfinished = await store.read((database) =>
    database
      .selectFrom('documentMigrations')
      .select('migrationId')
      .where('status', 'in', UNFINISHED)
      .orderBy('createdAt')
      .execute(),
  );
  for (const { migrationId } of unfinished) await finishMigration(store, migrationId);
}

/** One step; true while there is another. */
async function advance(database: Database, migrationId: string): Promise<boolean> {
  const migration = await database
    .selectFrom('documentMigrations')
    .selectAll()
    .where('migrationId', '=', migrationId)
    .executeTakeFirst();
  if (!migration || !isUnfinished(migration)) return false;
  const status = migration.status === 'pending' ? 'in_progress' : await move(database, migration);
  await database.updateTable('documentMigrations').set({ status }).where('migrationId', '=', migrationId).execute();
  return isUnfinished({ status });
}

/** Gives everything of the document the new id; fails where there is no document, or one that has the new id. */
async function move(database: Database, migration: Migration): Promise<MigrationStatus> {
  const { apiKey, organizationId, documentId, newDocumentId } = migration;
  const { key: organization } =
    (await database
      .selectFrom('organizations')
      .select('key')
      .where('apiKey', '=', apiKey)
      .where('organizationId', '=', organizationId)
      .executeTakeFirst()) ?? {};
  if (organization === undefined) return 'failed';
  if (await hasAnything(database, organization, newDocumentId)) return 'failed';
  if (!(await hasAnything(database, organization, documentId))) return 'failed';
  for (const table of TABLES) {
    await database
      .updateTable(table)
      .set({ documentId: newDocumentId })
      .where('organization', '=', organization)
      .where('documentId', '=', documentId)
      .execute();
  }
  await database
    .updateTable('members')
    .set({ resourceId: newDocumentId })
    .where('organization', '=', organization)
    .where('level', '=', 'document')
    .where('resourceId', '=', documentId)
    .execute();
  return 'completed';
}

/** Where a document's data is, besides its members. */
const TABLES = ['documents', 'editors', 'activities', 'presence', 'userData'] as const;

/** Data may come before its document is added. */
async function hasAnything(database: Database, organization: number, documentId: string): Promise<boolean> {
  for (const table of TABLES) {
    const found = await database
      .selectFrom(table)
      .select('documentId')
      .where('organization', '=', organization)
      .where('documentId', '=', documentId)
      .limit(1)
      .executeTakeFirst();
    if (found) return true;
  }
  return false;
}
