import type { Selectable } from 'kysely';
import type { MigrationStatus } from '../store/key-tables.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database, Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type Migration = Selectable<Tables['documentMigrations']>;

const UNFINISHED_STATUSES: readonly MigrationStatus[] = ['pending', 'in_progress'];

export function isUnfinished({ status }: Pick<Migration, 'status'>): boolean {
  return UNFINISHED_STATUSES.includes(status);
}

export const selectMigration = prepareQuery(
  (database, filter: Pick<Migration, 'apiKey' | 'organizationId' | 'migrationId'>) =>
    database
      .selectFrom('documentMigrations')
      .selectAll()
      .where('migrationId', '=', filter.migrationId)
      .where('apiKey', '=', filter.apiKey)
      .where('organizationId', '=', filter.organizationId),
);

/**
 * Runs the remaining steps of a migration. Each step is a transaction that starts with the current status, so any
 * process can continue an interrupted migration.
 */
export async function finishMigration(store: Store, migrationId: string): Promise<void> {
  while (await store.write((database) => advanceMigration(database, migrationId)));
}

/** Finishes all interrupted migrations. */
export async function finishMigrations(store: Store): Promise<void> {
  const unfinished = await store.read((database) =>
    database
      .selectFrom('documentMigrations')
      .select('migrationId')
      .where('status', 'in', UNFINISHED_STATUSES)
      .orderBy('createdAt')
      .execute(),
  );
  for (const { migrationId } of unfinished) await finishMigration(store, migrationId);
}

/** Runs the next step of a migration. Returns true if there are more. */
async function advanceMigration(database: Database, migrationId: string): Promise<boolean> {
  const migration = await database
    .selectFrom('documentMigrations')
    .selectAll()
    .where('migrationId', '=', migrationId)
    .executeTakeFirst();
  if (!migration || !isUnfinished(migration)) return false;
  const status = migration.status === 'pending' ? 'in_progress' : await moveDocument(database, migration);
  await database.updateTable('documentMigrations').set({ status }).where('migrationId', '=', migrationId).execute();
  return isUnfinished({ status });
}

/** Changes the ID of a document in all its data. Fails if the document does not exist or the new ID is in use. */
async function moveDocument(database: Database, migration: Migration): Promise<MigrationStatus> {
  const { apiKey, organizationId, documentId, newDocumentId } = migration;
  const { key: organization } =
    (await database
      .selectFrom('organizations')
      .select('key')
      .where('apiKey', '=', apiKey)
      .where('organizationId', '=', organizationId)
      .executeTakeFirst()) ?? {};
  if (organization === undefined) return 'failed';
  if (await hasDocumentData(database, organization, newDocumentId)) return 'failed';
  if (!(await hasDocumentData(database, organization, documentId))) return 'failed';
  for (const table of DOCUMENT_TABLES) {
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

/** Tables with document data, except for `members`. */
const DOCUMENT_TABLES = ['documents', 'editors', 'activities', 'presence', 'userData'] as const;

/** Whether a document ID has any data. Data may exist without a document. */
async function hasDocumentData(database: Database, organization: number, documentId: string): Promise<boolean> {
  for (const table of DOCUMENT_TABLES) {
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
