/** A folder as the flat list of an organization holds it. */
export interface FolderRecord {
  readonly folderId: string;
  readonly folderName?: string | undefined;
  readonly parentFolderId: string;
  readonly accessType?: string | undefined;
}

/** A folder with what is below it. */
export interface FolderNode extends FolderRecord {
  /** 1 at the top of the organization; 0 for the one folder that was asked for. */
  readonly depth: number;
  /** All folders below it, those that are not shown included. */
  readonly folderCount: number;
  readonly subFolders: readonly FolderNode[];
}

export interface FolderTree {
  readonly top: readonly FolderNode[];
  /** Folders whose parent is not in the list, or that are their own ancestors; they stand at the top. */
  readonly adrift: readonly string[];
  /** Levels there are, shown or not. */
  readonly levels: number;
}

export interface TreeOptions {
  /** Only this folder, with what is below it. */
  readonly folder?: string;
  /** The deepest level to show. */
  readonly maxDepth: number;
}

const ROOT = 'root';

/**
 * The tree of a flat list; nothing for a folder that is not in the list. The list may lie: each folder is placed once,
 * and however deep the tree goes, nothing here recurses.
 */
export function folderTree(folders: readonly FolderRecord[], options: TreeOptions): FolderTree | undefined {
  const byId = new Map(folders.map((folder) => [folder.folderId, folder]));
  byId.delete(ROOT);
  const all = [...byId.values()];
  const plot = new Plot(all, options.maxDepth);
  if (options.folder !== undefined) {
    const folder = byId.get(options.folder);
    if (!folder) return undefined;
    plot.plant(folder, 0);
    return { ...plot.counted(), adrift: [] };
  }
  for (const folder of all) if ((folder.parentFolderId || ROOT) === ROOT) plot.plant(folder, 1);
  // The tops of what hangs on nothing come first, so that the rest finds its place below them; then only cycles are left.
  const tops = all.filter(({ parentFolderId }) => !byId.has(parentFolderId));
  const adrift = [...tops, ...all].filter((folder) => plot.plant(folder, 1));
  return { ...plot.counted(), adrift: adrift.map(({ folderId }) => folderId) };
}

interface Growing extends FolderRecord {
  readonly depth: number;
  readonly subFolders: Growing[];
  folderCount: number;
}

/** Places each folder once, parents before children. */
class Plot {
  readonly #children: ReadonlyMap<string, readonly FolderRecord[]>;
  readonly #maxDepth: number;
  readonly #top: Growing[] = [];
  /** Each folder's node and its parent's, in the order they were placed. */
  readonly #placed = new Map<string, { readonly node: Growing; readonly parent: Growing | undefined }>();

  constructor(folders: readonly FolderRecord[], maxDepth: number) {
    this.#children = Map.groupBy(folders, ({ parentFolderId }) => parentFolderId);
    this.#maxDepth = maxDepth;
  }

  /** Places a folder with everything below it; false when it has its place already. */
  plant(folder: FolderRecord, depth: number): boolean {
    if (this.#placed.has(folder.folderId)) return false;
    const waiting: { folder: FolderRecord; parent?: Growing }[] = [{ folder }];
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

  /** Children come after their parents, so from the last one back every count is complete when it is added. */
  counted(): Pick<FolderTree, 'top' | 'levels'> {
    const placed = [...this.#placed.values()];
    for (const { node, parent } of placed.toReversed()) if (parent) parent.folderCount += node.folderCount + 1;
    return { top: this.#top, levels: placed.reduce((deepest, { node }) => Math.max(deepest, node.depth), 0) };
  }
}
