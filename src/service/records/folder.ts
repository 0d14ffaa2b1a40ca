/** A folder, as the service thinks of it. */
export interface Folder {
  readonly folderId: string;
  readonly folderName: string | null;
  readonly parentFolderId: string;
  /** Ids from `root` down to the parent. */
  readonly ancestors: readonly string[];
  readonly accessType: string;
  readonly inheritAccessFromParent: boolean;
  readonly createdAt: number;
  readonly lastUpdated: number;
}

/** What a folder's place and access follow from. */
export type Parent = Pick<Folder, 'folderId' | 'ancestors' | 'accessType'>;

/** The parent of the folders at an organization's top level. */
export const ROOT: Parent = { folderId: 'root', ancestors: [], accessType: 'public' };

interface NewFolder {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly accessType?: string | undefined;
}

/** A folder that is given no access of its own inherits its parent's. */
export function newFolder({ folderId, folderName, accessType }: NewFolder, parent: Parent, now: number): Folder {
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

/** Whether `folder` would stand below itself if `parent` became its parent. */
export function wouldEncloseItself(folder: Folder, parent: Parent): boolean {
  return parent.folderId === folder.folderId || parent.ancestors.includes(folder.folderId);
}

/**
 * A tree under a new parent: the ancestors of all its folders, and the access of those that inherit it.
 * @param tree the folder to move, then everything below it, no folder before its parent
 */
export function moveTree(tree: readonly Folder[], parent: Parent): readonly Folder[] {
  const placed = new Map<string, Parent>([[parent.folderId, parent]]);
  return tree.map((folder, at) => {
    const above = (at > 0 && placed.get(folder.parentFolderId)) || parent;
    const moved = {
      ...folder,
      parentFolderId: above.folderId,
      ancestors: [...above.ancestors, above.folderId],
      accessType: folder.inheritAccessFromParent ? above.accessType : folder.accessType,
    };
    placed.set(moved.folderId, moved);
    return moved;
  });
}
