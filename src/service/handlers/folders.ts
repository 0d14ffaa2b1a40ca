import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { type Folder, moveTree, newFolder, type Parent, ROOT, wouldEncloseItself } from '../records/folder.ts';
import { nest, type Owner, recordV1, recordV2 } from '../records/folder-record.ts';
import { allFolders, findFolders, findTree, saveFolders } from '../records/folders.ts';
import { alreadyExists, type ItemResult, itemResults, notFound } from '../records/item-results.ts';
import { ensureOrganization, findOrganization, requireOrganization } from '../records/organizations.ts';
import { Refusal } from '../refusal.ts';
import type { HandlersOf } from './handler.ts';

type GivenFolder = z.output<Operations['folders.add']['input']>['folders'][number];
type Change = z.output<Operations['folders.update']['input']>['folders'][number];

export const folders: HandlersOf<'folders'> = {
  'folders.list': async (call, input) => ({ data: await listFolders(call, input, recordV2) }),

  'folders.list.v1': async (call, input) => ({ data: await listFolders(call, input, recordV1) }),

  'folders.add': async (call, { organizationId, createOrganization, folders: given }) => {
    const organization = await (createOrganization ? ensureOrganization : requireOrganization)(call, organizationId);
    const mentioned = given.flatMap(({ folderId, parentFolderId = ROOT.folderId }) => [folderId, parentFolderId]);
    const found = await findFolders(call.database, organization, [...new Set(mentioned)]);
    const known = new Map<string, Parent>([[ROOT.folderId, ROOT], ...found]);
    const added: Folder[] = [];
    const data = itemResults();
    const add = (folder: GivenFolder): ItemResult => {
      const parent = known.get(folder.parentFolderId ?? ROOT.folderId);
      if (known.has(folder.folderId)) return alreadyExists('Folder');
      if (!parent) return notFound('Parent folder');
      const made = newFolder(folder, parent, call.now);
      known.set(made.folderId, made);
      added.push(made);
      return { success: true, id: made.folderId, message: 'Folder added.' };
    };
    for (const folder of given) data[folder.folderId] ??= add(folder);
    await saveFolders(call.database, organization, added);
    return { data };
  },

  'folders.update': async (call, { organizationId, folders: given }) => {
    const organization = await findOrganization(call, organizationId);
    const data = itemResults();
    for (const change of given) {
      data[change.folderId] =
        organization === undefined ? notFound('Folder') : await updateFolder(call, organization, change);
    }
    return { data };
  },
};

interface FolderQuery {
  readonly organizationId: string;
  readonly folderId?: string | undefined;
  readonly maxDepth?: number | undefined;
}

/** All folders of an organization, or one folder with its subfolders. */
async function listFolders<Base extends { readonly folderId: string; readonly parentFolderId: string }>(
  call: KeyCall,
  { organizationId, folderId, maxDepth = 1 }: FolderQuery,
  record: (folder: Folder, owner: Owner) => Base,
) {
  const organization = await findOrganization(call, organizationId);
  const owner = { organizationId, apiKey: call.apiKey };
  const toRecord = (folder: Folder) => record(folder, owner);
  if (folderId === undefined) {
    return organization === undefined ? [] : (await allFolders(call.database, organization)).map(toRecord);
  }
  const tree = organization === undefined ? [] : await findTree(call.database, organization, folderId, maxDepth);
  if (tree.length === 0) throw new Refusal('NOT_FOUND', 'Folder not found.');
  return nest(tree.map(toRecord), maxDepth);
}

async function updateFolder(call: KeyCall, organization: number, change: Change): Promise<ItemResult> {
  const { database, now } = call;
  const { folderId, folderName, parentFolderId } = change;
  const tree = await findTree(database, organization, folderId, parentFolderId === undefined ? 0 : EVERY_LEVEL);
  const [folder, ...below] = tree;
  if (!folder) return notFound('Folder');
  const renamed = { ...folder, folderName: folderName ?? folder.folderName };
  let changed: readonly Folder[] = [renamed];
  if (parentFolderId !== undefined) {
    const parent = await findParent(call, organization, parentFolderId);
    if (!parent) return notFound('Parent folder');
    if (wouldEncloseItself(folder, parent)) return { success: false, message: 'A folder cannot move into itself.' };
    changed = moveTree([renamed, ...below], parent);
  }
  const saved = changed.map((each) => ({ ...each, lastUpdated: now }));
  await saveFolders(database, organization, saved);
  return { success: true, id: folderId, message: 'Folder Updated.' };
}

const EVERY_LEVEL = Number.MAX_SAFE_INTEGER;

async function findParent(call: KeyCall, organization: number, folderId: string): Promise<Parent | undefined> {
  if (folderId === ROOT.folderId) return ROOT;
  return (await findFolders(call.database, organization, [folderId])).get(folderId);
}
