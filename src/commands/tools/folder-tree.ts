/** A folder in the flat list of the service. */
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

export interface FolderTree {
  readonly top: readonly FolderNode[];
  /** Folders whose parent is not in the list, and folders in cycles. Both are placed at the top level. */
  readonly orphans: readonly string[];
  /** Number of levels, including those that are not shown. */
  readonly levels: number;
}

export interface TreeOptions {
  /** Root folder of the tree (default: all folders). */
  readonly folder?: string;
  readonly maxDepth: number;
}

const ROOT = 'root';

/** Builds a tree from a possibly inconsistent list. Returns `undefined` if the root folder is not in the list. */
export function buildFolderTree(folders: readonly FolderRecord[], options: TreeOptions): FolderTree | undefined {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  byId.delete(ROOT);
  const all = [...byId.values()];
  const builder = new TreeBuilder(all, options.maxDepth);
  if (options.folder !== undefined) {
    const folder = byId.get(options.folder);
    if (!folder) return undefined;
    builder.place(folder, 0);
    return { ...builder.build(), orphans: [] };
  }
  for (const folder of all) if ((folder.parentFolderId || ROOT) === ROOT) builder.place(folder, 1);
  // Folders whose parent is not in the list are placed before folders in cycles.
  const tops = all.filter(({ parentFolderId }) => !byId.has(parentFolderId));
  const orphans = [...tops, ...all].filter((folder) => builder.place(folder, 1));
  return { ...builder.build(), orphans: orphans.map(({ folderId }) => folderId) };
}

interface MutableNode extends FolderRecord {
  readonly depth: number;
  readonly subFolders: MutableNode[];
  folderCount: number;
}

class TreeBuilder {
  readonly #children: ReadonlyMap<string, readonly FolderRecord[]>;
  readonly #maxDepth: number;
  readonly #top: MutableNode[] = [];
  /** Nodes and their parents, in the order of placement. */
  readonly #placed = new Map<string, { readonly node: MutableNode; readonly parent: MutableNode | undefined }>();

  constructor(folders: readonly FolderRecord[], maxDepth: number) {
    this.#children = Map.groupBy(folders, ({ parentFolderId }) => parentFolderId);
    this.#maxDepth = maxDepth;
  }

  /** Places a folder and its descendants. Returns false if the folder is already placed. */
  place(folder: FolderRecord, depth: number): boolean {
    if (this.#placed.has(folder.folderId)) return false;
    const waiting: { folder: FolderRecord; parent?: MutableNode }[] = [{ folder }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { folderId } = next.folder;
      if (this.#placed.has(folderId)) continue;
      const parent = next.parent;
      const node = { ...next.folder, depth: parent ? parent.depth + 1 : depth, folderCount: 0, subFolders: [] };
      this.#placed.set(folderId, { node, parent });
      if (node.depth <= this.#maxDepth) (parent?.subFolders ?? this.#top).push(node);
      const children = this.#children.get(folderId) ?? [];
      for (const child of children.toReversed()) waiting.push({ folder: child, parent: node });
    }
    return true;
  }

  /** Counts the descendants of each node in reverse order, because children follow their parents. */
  build(): Pick<FolderTree, 'top' | 'levels'> {
    const placed = [...this.#placed.values()];
    for (const { node, parent } of placed.toReversed()) if (parent) parent.folderCount += node.folderCount + 1;
    return { top: this.#top, levels: placed.reduce((deepest, { node }) => Math.max(deepest, node.depth), 0) };
  }
}
