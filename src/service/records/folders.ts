import { type Insertable, type Selectable, sql } from 'kysely';
import type { KeyCall } from '../call.ts';
import { invalidArgument } from '../refusal.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type Folder, newFolder, ROOT } from './folder.ts';

/** The folders of an organization, or those of these ids, oldest first. */
const selectFolders = prepared((database, given: { organization: number; folderIds?: readonly string[] }) => {
  const all = database
    .selectFrom('folders')
    .selectAll()
    .where('organization', '=', given.organization)
    .orderBy('createdAt')
    .orderBy('folderId');
  return given.folderIds ? all.where('folderId', 'in', given.folderIds) : all;
});

const selectTree = prepared((database, given: { organization: number; folderId: string; levels: number }) =>
  database
    .withRecursive('tree', (query) =>
      query
        .selectFrom('folders')
        .selectAll()
        .select(sql<number>`cast(0 as bigint)`.as('level'))
        .where('organization', '=', given.organization)
        .where('folderId', '=', given.folderId)
        .unionAll(
          query
            .selectFrom('tree')
            .innerJoin('folders', (join) =>
              join
                .onRef('folders.organization', '=', 'tree.organization')
                .onRef('folders.parentFolderId', '=', 'tree.folderId'),
            )
            .selectAll('folders')
            .select(({ eb }) => eb('tree.level', '+', 1).as('level'))
            .where('tree.level', '<', given.levels),
        ),
    )
    .selectFrom('tree')
    .selectAll()
    .orderBy('level')
    .orderBy('createdAt')
    .orderBy('folderId'),
);

const upsertFolders = prepared((database, rows: readonly Insertable<Tables['folders']>[]) =>
  database
    .insertInto('folders')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'folderId']).doUpdateSet(({ ref }) => ({
        folderName: ref('excluded.folderName'),
        parentFolderId: ref('excluded.parentFolderId'),
        ancestors: ref('excluded.ancestors'),
        accessType: ref('excluded.accessType'),
        inheritAccessFromParent: ref('excluded.inheritAccessFromParent'),
        lastUpdated: ref('excluded.lastUpdated'),
      })),
    ),
);

/** Adds a folder at the organization's top level, unless it exists. */
export async function ensureFolder(call: KeyCall, organization: number, folderId: string): Promise<void> {
  const { database, now } = call;
  const found = await findFolders(database, organization, [folderId]);
  if (found.has(folderId) || folderId === ROOT.folderId) return;
  await saveFolders(database, organization, [newFolder({ folderId }, ROOT, now)]);
}

/** @throws Refusal INVALID_ARGUMENT where the organization has no such folder. */
export async function requireFolder(database: Database, organization: number, folderId: string): Promise<void> {
  const found = await findFolders(database, organization, [folderId]);
  if (!found.has(folderId)) throw invalidArgument('Folder not found.');
}

/** The folders of these ids that exist. */
export async function findFolders(
  database: Database,
  organization: number,
  folderIds: readonly string[],
): Promise<Map<string, Folder>> {
  const found = new Map<string, Folder>();
  for (const batch of batchesOf(folderIds)) {
    const rows = await selectFolders(database, { organization, folderIds: batch });
    for (const row of rows) found.set(row.folderId, fromRow(row));
  }
  return found;
}

/** All folders of an organization, oldest first. */
export async function allFolders(database: Database, organization: number): Promise<readonly Folder[]> {
  return (await selectFolders(database, { organization })).map(fromRow);
}

/** A folder and up to `levels` levels below it, no folder before its parent; nothing when it does not exist. */
export async function findTree(
  database: Database,
  organization: number,
  folderId: string,
  levels: number,
): Promise<readonly Folder[]> {
  return (await selectTree(database, { organization, folderId, levels })).map(fromRow);
}

/** Writes folders, whether they exist or not. */
export async function saveFolders(database: Database, organization: number, saved: readonly Folder[]): Promise<void> {
  for (const batch of batchesOf(saved)) {
    const rows = batch.map((folder) => toRow(organization, folder));
    await upsertFolders(database, rows);
  }
}

function fromRow(row: Selectable<Tables['folders']>): Folder {
  const { folderId, folderName, parentFolderId, accessType, createdAt, lastUpdated } = row;
  const ancestors: string[] = JSON.parse(row.ancestors);
  const inheritAccessFromParent = row.inheritAccessFromParent === 1;
  return {
    folderId,
    folderName,
    parentFolderId,
    ancestors,
    accessType,
    inheritAccessFromParent,
    createdAt,
    lastUpdated,
  };
}

function toRow(organization: number, folder: Folder): Insertable<Tables['folders']> {
  const ancestors = JSON.stringify(folder.ancestors);
  return { ...folder, organization, ancestors, inheritAccessFromParent: folder.inheritAccessFromParent ? 1 : 0 };
}
