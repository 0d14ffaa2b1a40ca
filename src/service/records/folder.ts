export interface Folder {
  readonly folderId: string;
  readonly folderName: string | null;
  readonly parentFolderId: string;
  readonly ancestors: readonly string[];
  readonly accessType: string;
  readonly inheritAccessFromParent: boolean;
  readonly createdAt: number;
  readonly lastUpdated: number;
}

/** Fields of a parent that determine the ancestors and the inherited access of its subfolders. */
export type ParentFolder = Pick<Folder, 'folderId' | 'ancestors' | 'accessType'>;
export const ROOT: ParentFolder = { folderId: 'root', ancestors: [], accessType: 'public' };

interface NewFolder {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly accessType?: string | undefined;
}

/** Creates a folder. Without an `accessType`, the folder inherits the access of its parent. */
export function createFolder(
  { folderId, folderName, accessType }: NewFolder,
  parent: ParentFolder,
  now: number,
): Folder {
  return {
    folderId,
    folderName: folderName ?? null,
    parentFolderId: parent.folderId,
    ancestors: [...parent.ancestors, parent.folderId],
    accessType: accessType ?? parent.accessType,
    inheritAccessFromParent: accessType === undefined,
    createdAt: now,
    lastUpdated: now,
  };
}

export function wouldCreateCycle(folder: Folder, parent: ParentFolder): boolean {
  return parent.folderId === folder.folderId || parent.ancestors.includes(folder.folderId);
}

/** @param tree the folder to move and its descendants, parents first */
export function moveFolderTree(tree: readonly Folder[], parent: ParentFolder): readonly Folder[] {
  const parents = new Map<string, ParentFolder>([[parent.folderId, parent]]);
  return tree.map((folder, at) => {
    const newParent = (at > 0 && parents.get(folder.parentFolderId)) || parent;
    const moved = {
      ...folder,
      parentFolderId: newParent.folderId,
      ancestors: [...newParent.ancestors, newParent.folderId],
      accessType: folder.inheritAccessFromParent ? newParent.accessType : folder.accessType,
    };
    parents.set(moved.folderId, moved);
    return moved;
  });
}
