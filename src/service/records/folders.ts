import { type Insertable, type Selectable, sql } from 'kysely';
import type { KeyCall } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { invalidArgument } from '../store/refusal.ts';
import { lockName } from '../store/sharing.ts';
import { chunkRows, prepareInsert, prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { createFolder, type Folder, ROOT } from './folder.ts';

const FOLDER_COLUMNS = [
  ...(['folderId', 'folderName', 'parentFolderId', 'ancestors', 'accessType'] as const),
  ...(['inheritAccessFromParent', 'createdAt', 'lastUpdated'] as const),
];

const selectFolders = prepareSelect('folders', FOLDER_COLUMNS, ['createdAt', 'folderId']);

const selectFolderTree = prepareQuery(
  (_, filter: { organization: number; folderId: string; levels: number }) =>
    sql<Selectable<Tables['folders']>>`
    with recursive tree as (
      select *, cast(0 as bigint) as level from folders
      where organization = ${filter.organization} and "folderId" = ${filter.folderId}
      union all
      select folders.*, level + 1 from tree
      join folders on folders.organization = tree.organization and folders."parentFolderId" = tree."folderId"
      where level < ${filter.levels}
    )
    select ${sql.join(FOLDER_COLUMNS.map((name) => sql.ref(name)))} from tree order by level, "createdAt", "folderId"`,
);

const insertFolders = prepareInsert('folders', ['organization', 'folderId'], ['folderId']);
const upsertFolders = prepareUpsert('folders', ['organization', 'folderId'], {
  replaced: [
    'folderName',
    'parentFolderId',
    'ancestors',
    'accessType',
    'inheritAccessFromParent',
    'lastUpdated',
  ],
});

export async function ensureFolder(
  call: KeyCall,
  organization: number,
  folderId: string,
): Promise<void> {
  const { database, now } = call;
  const found = await findFolders(database, organization, [folderId]);
  if (found.has(folderId) || folderId === ROOT.folderId) return;
  await addFolders(database, organization, [createFolder({ folderId }, ROOT, now)]);
}

/**
 * Locks the folders of an organization: calls that add folders exclude those that change them,
 * because the ancestors of a new folder are those of its parent.
 */
export async function lockFolders(
  database: Database,
  organization: number,
  purpose: 'add' | 'change',
): Promise<void> {
  await lockName(database, `folders ${organization}`, purpose === 'add');
}

/**
 * Adds folders, parents first, except for those that another call has just added.
 * @returns the IDs of the added folders
 */
export async function addFolders(
  database: Database,
  organization: number,
  folders: readonly Folder[],
): Promise<ReadonlySet<string>> {
  const rows = folders.map((folder) => toRow(organization, folder));
  const inserted = await insertFolders(database, rows);
  return new Set(inserted.map(({ folderId }) => folderId));
}

/** @throws Refusal INVALID_ARGUMENT if the folder does not exist in the organization */
export async function requireFolder(
  database: Database,
  organization: number,
  folderId: string,
): Promise<void> {
  const found = await findFolders(database, organization, [folderId]);
  if (!found.has(folderId)) throw invalidArgument('Folder not found.');
}

export async function findFolders(
  database: Database,
  organization: number,
  folderIds: readonly string[],
): Promise<Map<string, Folder>> {
  const found = new Map<string, Folder>();
  for (const batch of chunkRows(folderIds)) {
    const rows = await selectFolders(database, { organization, folderId: batch });
    for (const row of rows) found.set(row.folderId, fromRow(row));
  }
  return found;
}

export async function findAllFolders(
  database: Database,
  organization: number,
): Promise<readonly Folder[]> {
  return (await selectFolders(database, { organization })).map(fromRow);
}

/** Returns parents first, down to the given level. Empty if the folder does not exist. */
export async function findFolderTree(
  database: Database,
  organization: number,
  folderId: string,
  levels: number,
): Promise<readonly Folder[]> {
  return (await selectFolderTree(database, { organization, folderId, levels })).map(fromRow);
}

export async function saveFolders(
  database: Database,
  organization: number,
  saved: readonly Folder[],
): Promise<void> {
  const rows = saved.map((folder) => toRow(organization, folder));
  await upsertFolders(database, rows);
}

function fromRow(row: Omit<Selectable<Tables['folders']>, 'organization'>): Folder {
  return {
    ...row,
    ancestors: JSON.parse(row.ancestors),
    inheritAccessFromParent: row.inheritAccessFromParent === 1,
  };
}

function toRow(organization: number, folder: Folder): Insertable<Tables['folders']> {
  const ancestors = JSON.stringify(folder.ancestors);
  return {
    ...folder,
    organization,
    ancestors,
    inheritAccessFromParent: folder.inheritAccessFromParent ? 1 : 0,
  };
}
