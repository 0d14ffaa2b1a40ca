import type { State } from '../../catalog/state.ts';
import { type Folder, moveTree, ROOT } from '../records/folder.ts';
import { allFolders, saveFolders } from '../records/folders.ts';
import { present, readEach, type Scope, type Section } from './section.ts';

type FolderRecord = State['folders'][number];

export const folders: Section<'folders'> = {
  read: (scope) =>
    readEach(
      scope,
      (database, { organization }) => allFolders(database, organization),
      (organizationId, folder) => {
        const { folderId, folderName, ancestors, ...others } = folder;
        return { organizationId, folderId, ...present({ folderName }), ...others, ancestors: [...ancestors] };
      },
    ),

  write: async (scope, records) => {
    for (const [organizationId, own] of Map.groupBy(records, (record) => record.organizationId)) {
      const organization = scope.organizations.get(organizationId);
      if (organization === undefined) throw new TypeError('folders of an organization that was not made');
      const known = new Map(
        (await allFolders(scope.database, organization)).map((folder) => [folder.folderId, folder]),
      );
      for (const record of own) known.set(record.folderId, merged(scope, record, known.get(record.folderId)));
      await saveFolders(scope.database, organization, moveTree(parentsFirst([...known.values()]), ROOT));
    }
  },
};

/** A folder as a record says, and where that is silent as it was, or as a new folder is. */
function merged({ now }: Scope, record: FolderRecord, before: Folder | undefined): Folder {
  const accessType = record.accessType ?? before?.accessType ?? ROOT.accessType;
  const inherits = record.accessType === undefined && (before?.inheritAccessFromParent ?? true);
  return {
    folderId: record.folderId,
    folderName: record.folderName ?? before?.folderName ?? null,
    parentFolderId: record.parentFolderId ?? before?.parentFolderId ?? ROOT.folderId,
    ancestors: [],
    accessType,
    inheritAccessFromParent: record.inheritAccessFromParent ?? inherits,
    createdAt: record.createdAt ?? before?.createdAt ?? now,
    lastUpdated: record.lastUpdated ?? before?.lastUpdated ?? record.createdAt ?? now,
  };
}

/** The same folders, none before its parent. */
function parentsFirst(all: readonly Folder[]): readonly Folder[] {
  const children = Map.groupBy(all, ({ parentFolderId }) => parentFolderId);
  const ordered = [...(children.get(ROOT.folderId) ?? [])];
  for (let at = 0; at < ordered.length; at += 1) ordered.push(...(children.get(ordered[at]?.folderId ?? '') ?? []));
  return ordered;
}
