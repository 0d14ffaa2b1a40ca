import type * as z from 'zod/mini';
import { FOLDER_ACCESS_TYPES } from '../../catalog/folders.ts';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../calls/call.ts';
import { requireKnownValue } from '../calls/validate.ts';
import {
  createFolder,
  type Folder,
  moveFolderTree,
  type ParentFolder,
  ROOT,
  wouldCreateCycle,
} from '../records/folder.ts';
import {
  addFolders,
  findAllFolders,
  findFolders,
  findFolderTree,
  lockFolders,
  saveFolders,
} from '../records/folders.ts';
import {
  alreadyExists,
  createItemResults,
  type ItemResult,
  notFound,
} from '../records/item-results.ts';
import {
  ensureOrganization,
  findOrganization,
  requireOrganization,
} from '../records/organizations.ts';
import { Refusal } from '../store/refusal.ts';
import type { Database } from '../store/store.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

type FolderInput = z.output<Operations['folders.add']['input']>['folders'][number];
type FolderChange = z.output<Operations['folders.update']['input']>['folders'][number];

export const folders: HandlersOf<'folders'> = {
  'folders.list': async (call, input) => ({
    data: await listFolders(call, input, toFolderRecordV2),
  }),

  'folders.list.v1': async (call, input) => ({
    data: await listFolders(call, input, toFolderRecordV1),
  }),

  'folders.add': lockingOnlyRows(async (call, input) => {
    const { organizationId, createOrganization, folders: requested } = input;
    for (const [at, { accessType }] of requested.entries())
      requireKnownValue(['folders', at, 'accessType'], accessType, FOLDER_ACCESS_TYPES);
    const organization = await (createOrganization ? ensureOrganization : requireOrganization)(
      call,
      organizationId,
    );
    await lockFolders(call.database, organization, 'add');
    const found = await findNeededFolders(call.database, organization, requested);
    const known = new Map<string, ParentFolder>([[ROOT.folderId, ROOT], ...found]);
    const added: Folder[] = [];
    const data = createItemResults();
    const add = (folder: FolderInput): ItemResult => {
      const parent = known.get(folder.parentFolderId ?? ROOT.folderId);
      if (known.has(folder.folderId)) return alreadyExists('Folder');
      if (!parent) return notFound('Parent folder');
      const created = createFolder(folder, parent, call.now);
      known.set(created.folderId, created);
      added.push(created);
      return { success: true, id: created.folderId, message: 'Folder added.' };
    };
    for (const folder of requested) data[folder.folderId] ??= add(folder);
    const stored = await addFolders(call.database, organization, added);
    for (const { folderId } of added)
      if (!stored.has(folderId)) data[folderId] = alreadyExists('Folder');
    await adoptFolders(call.database, organization, { added, stored });
    return { data };
  }),

  'folders.update': async (call, { organizationId, folders: requested }) => {
    const organization = await findOrganization(call, organizationId);
    if (organization !== undefined) await lockFolders(call.database, organization, 'change');
    const data = createItemResults();
    for (const change of requested)
      data[change.folderId] =
        organization === undefined
          ? notFound('Folder')
          : await updateFolder(call, organization, change);
    return { data };
  },
};

/**
 * Finds the parents that the request does not name before their subfolders. If one does not exist, finds
 * the requested folders that exist, too.
 */
async function findNeededFolders(
  database: Database,
  organization: number,
  requested: readonly FolderInput[],
): Promise<Map<string, Folder>> {
  const earlier = new Set([ROOT.folderId]);
  const parentIds = new Set<string>();
  for (const { folderId, parentFolderId = ROOT.folderId } of requested) {
    if (!earlier.has(parentFolderId)) parentIds.add(parentFolderId);
    earlier.add(folderId);
  }
  const found = await findFolders(database, organization, [...parentIds]);
  if (found.size === parentIds.size) return found;
  return findFolders(database, organization, [...new Set([...earlier, ...parentIds])]);
}

/** Gives the subfolders of folders that already existed the ancestors of those. */
async function adoptFolders(
  database: Database,
  organization: number,
  { added, stored }: { readonly added: readonly Folder[]; readonly stored: ReadonlySet<string> },
): Promise<void> {
  const created = added.filter(({ folderId }) => stored.has(folderId));
  const parentIds = new Set(created.map(({ parentFolderId }) => parentFolderId));
  const lateIds = added
    .map(({ folderId }) => folderId)
    .filter((folderId) => parentIds.has(folderId) && !stored.has(folderId));
  if (lateIds.length === 0) return;
  const parents = new Map<string, Folder>(await findFolders(database, organization, lateIds));
  const adopted: Folder[] = [];
  for (const folder of created) {
    const parent = parents.get(folder.parentFolderId);
    if (!parent) continue;
    for (const moved of moveFolderTree([folder], parent)) {
      parents.set(moved.folderId, moved);
      adopted.push(moved);
    }
  }
  await saveFolders(database, organization, adopted);
}

type FolderQuery = z.output<Operations['folders.list']['input']>;

async function listFolders<
  Base extends { readonly folderId: string; readonly parentFolderId: string },
>(
  call: KeyCall,
  { organizationId, folderId, maxDepth = 1 }: FolderQuery,
  format: (folder: Folder, owner: FolderOwner) => Base,
) {
  const organization = await findOrganization(call, organizationId);
  const owner = { organizationId, apiKey: call.apiKey };
  const toRecord = (folder: Folder) => format(folder, owner);
  if (folderId === undefined)
    return organization === undefined
      ? []
      : (await findAllFolders(call.database, organization)).map(toRecord);
  const tree =
    organization === undefined
      ? []
      : await findFolderTree(call.database, organization, folderId, maxDepth);
  if (tree.length === 0) throw new Refusal('NOT_FOUND', 'Folder not found.');
  return nestFolders(tree.map(toRecord), maxDepth);
}

async function updateFolder(
  call: KeyCall,
  organization: number,
  change: FolderChange,
): Promise<ItemResult> {
  const { database, now } = call;
  const { folderId, folderName, parentFolderId } = change;
  const tree = await findFolderTree(
    database,
    organization,
    folderId,
    parentFolderId === undefined ? 0 : ALL_LEVELS,
  );
  const [folder, ...descendants] = tree;
  if (!folder) return notFound('Folder');
  const renamed = { ...folder, folderName: folderName ?? folder.folderName };
  let changed: readonly Folder[] = [renamed];
  if (parentFolderId !== undefined) {
    const isRoot = parentFolderId === ROOT.folderId;
    const parent = isRoot
      ? ROOT
      : (await findFolders(database, organization, [parentFolderId])).get(parentFolderId);
    if (!parent) return notFound('Parent folder');
    if (wouldCreateCycle(folder, parent))
      return {
        success: false,
        message: 'A folder cannot be moved into itself or one of its subfolders.',
      };
    changed = moveFolderTree([renamed, ...descendants], parent);
  }
  const saved = changed.map((item) => ({ ...item, lastUpdated: now }));
  await saveFolders(database, organization, saved);
  return { success: true, id: folderId, message: 'Folder Updated.' };
}

const ALL_LEVELS = Number.MAX_SAFE_INTEGER;

interface FolderOwner {
  readonly organizationId: string;
  readonly apiKey: string;
}

type NestedFolder<Base> = Base & { subFolders?: NestedFolder<Base>[] };

function toFolderRecordV1(folder: Folder, { organizationId }: FolderOwner) {
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

function toFolderRecordV2(folder: Folder, owner: FolderOwner) {
  const { ancestors, accessType, inheritAccessFromParent } = folder;
  const { apiKey } = owner;
  return {
    ...toFolderRecordV1(folder, owner),
    apiKey,
    ancestors: [...ancestors],
    accessType,
    inheritAccessFromParent,
  };
}

/**
 * Records at the depth limit have no `subFolders`.
 * @param tree the top folder and its descendants, parents first
 */
function nestFolders<Base extends { readonly folderId: string; readonly parentFolderId: string }>(
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
