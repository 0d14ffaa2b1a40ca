import { prepareSelect, prepareUpdate } from '../store/statements.ts';
import type { Database, Store } from '../store/store.ts';
import type { MigrationStatus, Tables } from '../store/tables.ts';
import { updateMembers } from './members.ts';
import { findOrganization } from './organizations.ts';

export type Migration = Omit<Tables['documentMigrations'], 'createdAt'>;
const UNFINISHED_STATUSES: readonly MigrationStatus[] = ['pending', 'in_progress'];

export function isUnfinished({ status }: Pick<Migration, 'status'>): boolean {
  return UNFINISHED_STATUSES.includes(status);
}

export const selectMigrations = prepareSelect(
  'documentMigrations',
  ['migrationId', 'apiKey', 'organizationId', 'documentId', 'newDocumentId', 'status'],
  ['createdAt'],
);

const updateMigration = prepareUpdate('documentMigrations');

/**
 * Each step is a transaction that starts with the current status, so any process can continue a
 * migration.
 */
export async function finishMigration(store: Store, migrationId: string): Promise<void> {
  while (await store.write((database) => advanceMigration(database, migrationId)));
}

export async function finishMigrations(store: Store): Promise<void> {
  const unfinished = await store.read((database) =>
    selectMigrations(database, { status: UNFINISHED_STATUSES }),
  );
  for (const { migrationId } of unfinished) await finishMigration(store, migrationId);
}

async function advanceMigration(database: Database, migrationId: string): Promise<boolean> {
  const [migration] = await selectMigrations(database, { migrationId });
  if (!migration || !isUnfinished(migration)) return false;
  const status =
    migration.status === 'pending' ? 'in_progress' : await moveDocument(database, migration);
  await updateMigration(database, { set: { status }, where: { migrationId } });
  return isUnfinished({ status });
}

/**
 * Changes the ID of a document in all its data. Fails if the document does not exist or the new ID
 * is in use.
 */
async function moveDocument(database: Database, migration: Migration): Promise<MigrationStatus> {
  const { apiKey, organizationId, documentId, newDocumentId } = migration;
  const organization = await findOrganization({ database, apiKey }, organizationId);
  if (organization === undefined) return 'failed';
  if (await hasDocumentData(database, organization, newDocumentId)) return 'failed';
  if (!(await hasDocumentData(database, organization, documentId))) return 'failed';
  for (const table of DOCUMENT_TABLES)
    await prepareUpdate(table)(database, {
      set: { documentId: newDocumentId },
      where: { organization, documentId },
    });
  const where = { organization, level: 'document', resourceId: documentId } as const;
  await updateMembers(database, { set: { resourceId: newDocumentId }, where });
  return 'completed';
}

/** Tables with document data, except for `members`. */
const DOCUMENT_TABLES = ['documents', 'editors', 'activities', 'presence', 'userData'] as const;

async function hasDocumentData(
  database: Database,
  organization: number,
  documentId: string,
): Promise<boolean> {
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
