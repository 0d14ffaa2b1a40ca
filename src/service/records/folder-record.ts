import type { Folder } from './folder.ts';

export interface FolderOwner {
  readonly organizationId: string;
  readonly apiKey: string;
}

type NestedFolder<Base> = Base & { subFolders?: NestedFolder<Base>[] };

export function toFolderRecordV1(folder: Folder, { organizationId }: FolderOwner) {
  const { folderId, folderName, parentFolderId, createdAt, lastUpdated } = folder;
  return { folderId, ...(folderName !== null && { folderName }), organizationId, parentFolderId, createdAt, lastUpdated };
}

export function toFolderRecordV2(folder: Folder, owner: FolderOwner) {
  const { ancestors, accessType, inheritAccessFromParent } = folder;
  const { apiKey } = owner;
  return { ...toFolderRecordV1(folder, owner), apiKey, ancestors: [...ancestors], accessType, inheritAccessFromParent };
}

/** Records at the depth limit have no `subFolders`. @param tree the top folder and its descendants, parents first */
export function nestFolders<Base extends { readonly folderId: string; readonly parentFolderId: string }>(
  tree: readonly Base[],
  levels: number,
): NestedFolder<Base>[] {
  const [top, ...descendants] = tree;
  if (!top) return [];
  const place = (record: Base, level: number) => {
    const nested: NestedFolder<Base> = level < levels ? { ...record, subFolders: [] } : record;
    placed.set(record.folderId, { nested, level });
    return nested;
  };
  const placed = new Map<string, { readonly nested: NestedFolder<Base>; readonly level: number }>();
  const root = place(top, 0);
  for (const record of descendants) {
    const parent = placed.get(record.parentFolderId);
    if (parent) parent.nested.subFolders?.push(place(record, parent.level + 1));
  }
  return [root];
}
