import type { Folder } from './folder.ts';

/** Whose folders a reply shows. */
export interface Owner {
  readonly organizationId: string;
  readonly apiKey: string;
}

type Nested<Base> = Base & { subFolders?: Nested<Base>[] };

/** A folder in the shape of the v1 read. */
export function recordV1(folder: Folder, { organizationId }: Owner) {
  const { folderId, folderName, parentFolderId, createdAt, lastUpdated } = folder;
  return {
    folderId,
    ...(folderName !== null && { folderName }),
    organizationId,
    parentFolderId,
    createdAt,
    lastUpdated,
  };
}

/** A folder in the shape of the v2 read. */
export function recordV2(folder: Folder, owner: Owner) {
  const { ancestors, accessType, inheritAccessFromParent } = folder;
  const { apiKey } = owner;
  return { ...recordV1(folder, owner), apiKey, ancestors: [...ancestors], accessType, inheritAccessFromParent };
}

/**
 * The records of a tree inside each other. Those `levels` below the top are where the read ended: they have no
 * `subFolders`.
 * @param tree the top folder, then everything below it, no folder before its parent
 */
export function nest<Base extends { readonly folderId: string; readonly parentFolderId: string }>(
  tree: readonly Base[],
  levels: number,
): Nested<Base>[] {
  const [top, ...below] = tree;
  if (!top) return [];
  const open = (record: Base, level: number) => {
    const nested: Nested<Base> = level < levels ? { ...record, subFolders: [] } : record;
    placed.set(record.folderId, { nested, level });
    return nested;
  };
  const placed = new Map<string, { readonly nested: Nested<Base>; readonly level: number }>();
  const root = open(top, 0);
  for (const record of below) {
    const parent = placed.get(record.parentFolderId);
    if (parent) parent.nested.subFolders?.push(open(record, parent.level + 1));
  }
  return [root];
}
