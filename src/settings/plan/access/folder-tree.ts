import type { AccessLevelSettings } from '../../../catalog/local/access.ts';
import { createAccessPath } from '../../../service/records/access.ts';
import { ROOT } from '../../../service/records/folder.ts';
import type { PlannedWrite } from '../../plan.ts';

/** Fields of a folder that determine access. */
export interface TreeFolder {
  readonly folderId: string;
  readonly parentFolderId: string;
  readonly accessType: string;
  readonly inheritAccessFromParent: boolean;
}

/** The folders of an organization by ID. */
export type FolderTree = ReadonlyMap<string, TreeFolder>;

export function toTreeFolder(record: Readonly<Record<string, unknown>>): TreeFolder {
  const { folderId, parentFolderId, accessType, inheritAccessFromParent } = record;
  return {
    folderId: String(folderId),
    parentFolderId: String(parentFolderId ?? ROOT.folderId),
    accessType: String(accessType ?? ROOT.accessType),
    inheritAccessFromParent: Boolean(inheritAccessFromParent ?? accessType === undefined),
  };
}

/** Returns the folders of an organization after the writes of a plan. */
export function writeFolders(
  tree: FolderTree,
  organizationId: string,
  writes: readonly PlannedWrite[],
): FolderTree {
  const after = new Map(tree);
  const exists = (id: string) => id === ROOT.folderId || after.has(id);
  for (const { operation, shared, items } of writes) {
    if (shared['organizationId'] !== organizationId) continue;
    for (const { data } of items) {
      const id = String(data['folderId']);
      const { parentFolderId: parent } = data;
      const current = after.get(id);
      if (operation === 'folders.add') {
        const created = toTreeFolder(data);
        if (!current && exists(created.parentFolderId)) after.set(id, created);
      } else if (operation === 'folders.update' && current && parent !== undefined) {
        const parentFolderId = String(parent);
        // The service refuses to move a folder into itself.
        if (exists(parentFolderId) && !listAncestors(after, parentFolderId).includes(id))
          after.set(id, { ...current, parentFolderId });
      }
    }
  }
  return after;
}

/** Lists a folder and the folders around it, from the innermost to the outermost. */
function listAncestors(tree: FolderTree, id: string): readonly string[] {
  const chain = new Set<string>();
  for (let at = id; at !== ROOT.folderId && !chain.has(at); ) {
    chain.add(at);
    at = tree.get(at)?.parentFolderId ?? ROOT.folderId;
  }
  return [...chain];
}

/**
 * Returns the levels of a folder and those around it; of the organization alone for the top level.
 */
export function findFolderPath(tree: FolderTree, id: string): readonly AccessLevelSettings[] {
  const folders = listAncestors(tree, id).flatMap((ancestor) => tree.get(ancestor) ?? []);
  return createAccessPath(folders);
}
