import type { State } from '../../catalog/state.ts';
import { type Folder, moveFolderTree, ROOT } from '../records/folder.ts';
import { findAllFolders, saveFolders } from '../records/folders.ts';
import { omitUnset, readByOrganization, type Section, type StateScope } from './section.ts';

export const folders: Section<'folders'> = {
  read: (scope) =>
    readByOrganization(
      scope,
      (database, { organization }) => findAllFolders(database, organization),
      (organizationId, folder) => {
        const { folderId, folderName, ancestors, ...others } = folder;
        return {
          organizationId,
          folderId,
          ...omitUnset({ folderName }),
          ...others,
          ancestors: [...ancestors],
        };
      },
    ),

  write: async (scope, records) => {
    for (const [organizationId, own] of Map.groupBy(records, (record) => record.organizationId)) {
      const organization = scope.organizations.get(organizationId);
      if (organization === undefined)
        throw new TypeError(`organization ${organizationId} was not created before its folders`);
      const folders = new Map(
        (await findAllFolders(scope.database, organization)).map((folder) => [
          folder.folderId,
          folder,
        ]),
      );
      for (const record of own)
        folders.set(record.folderId, mergeFolder(scope, record, folders.get(record.folderId)));
      await saveFolders(
        scope.database,
        organization,
        moveFolderTree(sortParentsFirst([...folders.values()]), ROOT),
      );
    }
  },
};

function mergeFolder(
  { now }: StateScope,
  record: State['folders'][number],
  current: Folder | undefined,
): Folder {
  const accessType = record.accessType ?? current?.accessType ?? ROOT.accessType;
  const inherits = record.accessType === undefined && (current?.inheritAccessFromParent ?? true);
  return {
    folderId: record.folderId,
    folderName: record.folderName ?? current?.folderName ?? null,
    parentFolderId: record.parentFolderId ?? current?.parentFolderId ?? ROOT.folderId,
    ancestors: [],
    accessType,
    inheritAccessFromParent: record.inheritAccessFromParent ?? inherits,
    createdAt: record.createdAt ?? current?.createdAt ?? now,
    lastUpdated: record.lastUpdated ?? current?.lastUpdated ?? record.createdAt ?? now,
  };
}

function sortParentsFirst(all: readonly Folder[]): readonly Folder[] {
  const children = Map.groupBy(all, ({ parentFolderId }) => parentFolderId);
  const ordered = [...(children.get(ROOT.folderId) ?? [])];
  for (let at = 0; at < ordered.length; at += 1)
    ordered.push(...(children.get(ordered[at]?.folderId ?? '') ?? []));
  return ordered;
}
