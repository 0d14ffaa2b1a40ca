/** A folder with its position in the tree and its access settings. */
export interface Folder {
  readonly folderId: string;
  readonly folderName: string | null;
  readonly parentFolderId: string;
  /** Folder IDs from `root` down to the parent. */
  readonly ancestors: readonly string[];
  readonly accessType: string;
  readonly inheritAccessFromParent: boolean;
  readonly createdAt: number;
  readonly lastUpdated: number;
}

/** The parent fields that determine a folder's ancestors and inherited access. */
export type ParentFolder = Pick<Folder, 'folderId' | 'ancestors' | 'accessType'>;

/** Parent of the folders at an organization's top level. */
export const ROOT: ParentFolder = { folderId: 'root', ancestors: [], accessType: 'public' };

interface NewFolder {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly accessType?: string | undefined;
}

/** Creates a folder, which inherits its parent's access unless it has an `accessType` of its own. */
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

/** Whether `folder` would become its own descendant if it moved below `parent`. */
export function wouldContainItself(folder: Folder, parent: ParentFolder): boolean {
  return parent.folderId === folder.folderId || parent.ancestors.includes(folder.folderId);
}

/**
 * Moves a folder tree below a new parent: updates the ancestors of all its folders, and inherited access.
 * @param tree the folder to move, followed by its descendants, each after its parent
 */
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
