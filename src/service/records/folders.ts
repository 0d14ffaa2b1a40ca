import { type Insertable, type Selectable, sql } from 'kysely';
import { invalidArgument } from '../errors.ts';
import { batchesOf } from '../store/batches.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import type { Folder } from './folder.ts';

/** @throws ServiceError INVALID_ARGUMENT where the organization has no such folder. */
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
    const rows = await database
      .selectFrom('folders')
      .selectAll()
      .where('organization', '=', organization)
      .where('folderId', 'in', batch)
      .execute();
    for (const row of rows) found.set(row.folderId, fromRow(row));
  }
  return found;
}

/** All folders of an organization, oldest first. */
export async function allFolders(database: Database, organization: number): Promise<readonly Folder[]> {
  const rows = await database
    .selectFrom('folders')
    .selectAll()
    .where('organization', '=', organization)
    .orderBy('createdAt')
    .orderBy('folderId')
    .execute();
  return rows.map(fromRow);
}

/** A folder and up to `levels` levels below it, no folder before its parent; nothing when it does not exist. */
export async function findTree(
  database: Database,
  organization: number,
  folderId: string,
  levels: number,
): Promise<readonly Folder[]> {
  const rows = await database
    .withRecursive('tree', (query) =>
      query
        .selectFrom('folders')
        .selectAll()
        .select(sql<number>`0`.as('level'))
        .where('organization', '=', organization)
        .where('folderId', '=', folderId)
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
            .where('tree.level', '<', levels),
        ),
    )
    .selectFrom('tree')
    .selectAll()
    .orderBy('level')
    .orderBy('createdAt')
    .orderBy('folderId')
    .execute();
  return rows.map(fromRow);
}

/** Writes folders, whether they exist or not. */
export async function saveFolders(database: Database, organization: number, saved: readonly Folder[]): Promise<void> {
  for (const batch of batchesOf(saved)) {
    await database
      .insertInto('folders')
      .values(batch.map((folder) => toRow(organization, folder)))
      .onConflict((conflict) =>
        conflict.columns(['organization', 'folderId']).doUpdateSet(({ ref }) => ({
          folderName: ref('excluded.folderName'),
          parentFolderId: ref('excluded.parentFolderId'),
          ancestors: ref('excluded.ancestors'),
          accessType: ref('excluded.accessType'),
          inheritAccessFromParent: ref('excluded.inheritAccessFromParent'),
          lastUpdated: ref('excluded.lastUpdated'),
        })),
      )
      .execute();
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
