export interface FolderRecord {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly parentFolderId: string;
  readonly accessType?: string | undefined;
}

export interface FolderNode extends FolderRecord {
  /** 1 at the top level of the organization, 0 for the requested root folder. */
  readonly depth: number;
  /** Number of descendants, including those that are not shown. */
  readonly folderCount: number;
  readonly subFolders: readonly FolderNode[];
}

export type FolderTree = NonNullable<ReturnType<typeof buildFolderTree>>;

const ROOT = 'root';

interface MutableNode extends FolderNode {
  readonly subFolders: MutableNode[];
  folderCount: number;
}

/**
 * Builds a tree from a possibly inconsistent list. Places folders whose parent is not in the list, and folders in cycles,
 * at the top level. Counts include folders and levels below `maxDepth`, which are not in the tree.
 * @param folder root folder of the tree (default: all folders)
 * @returns undefined if the root folder is not in the list
 */
export function buildFolderTree(
  folders: readonly FolderRecord[],
  { folder: rootId, maxDepth }: { readonly folder?: string; readonly maxDepth: number },
) {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  byId.delete(ROOT);
  const all = [...byId.values()];
  const childrenOf = Map.groupBy(all, ({ parentFolderId }) => parentFolderId);
  const top: MutableNode[] = [];
  /** Nodes and their parents, in the order of placement. */
  const placed = new Map<string, { readonly node: MutableNode; readonly parent: MutableNode | undefined }>();
  const place = (first: FolderRecord, depth: number): boolean => {
    if (placed.has(first.folderId)) return false;
    const waiting: { folder: FolderRecord; parent?: MutableNode }[] = [{ folder: first }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { folder, parent } = next;
      if (placed.has(folder.folderId)) continue;
      const node: MutableNode = { ...folder, depth: parent ? parent.depth + 1 : depth, folderCount: 0, subFolders: [] };
      placed.set(folder.folderId, { node, parent });
      if (node.depth <= maxDepth) (parent?.subFolders ?? top).push(node);
      for (const child of childrenOf.get(folder.folderId)?.toReversed() ?? []) waiting.push({ folder: child, parent: node });
    }
    return true;
  };
  const root = rootId === undefined ? undefined : byId.get(rootId);
  if (rootId !== undefined && !root) return undefined;
  if (root) place(root, 0);
  else for (const folder of all) if ((folder.parentFolderId || ROOT) === ROOT) place(folder, 1);
  // Folders whose parent is not in the list are placed before folders in cycles.
  const tops = all.filter(({ parentFolderId }) => !byId.has(parentFolderId));
  const orphans = root ? [] : [...tops, ...all].filter((folder) => place(folder, 1)).map(({ folderId }) => folderId);
  const nodes = [...placed.values()];
  // Children follow their parents.
  for (const { node, parent } of nodes.toReversed()) if (parent) parent.folderCount += node.folderCount + 1;
  const levels = nodes.reduce((deepest, { node }) => Math.max(deepest, node.depth), 0);
  return { top: top as readonly FolderNode[], orphans, levels };
}
