import type { State } from '../../catalog/state.ts';
import { CONTENT_KEY, selectEditors } from '../records/editors.ts';
import { ROOT } from '../records/folder.ts';
import { allFolders } from '../records/folders.ts';
import { selectUsers } from '../records/users.ts';
import { batchesOf } from '../store/batches.ts';
import type { Scope } from './section.ts';

type Content = State['crdt'][number];

/** What there will be once a state is written, as far as the state refers to it. */
export interface Known {
  /** The parent of a folder; `undefined` when there is no such folder. */
  parentOf(organizationId: string, folderId: string): string | undefined;
  isUser(organizationId: string, userId: string): boolean;
  isAgent(agentId: string): boolean;
  /** The type that the content of an editor has now. */
  contentType(content: Content): string | undefined;
  isForeignEndpoint(id: string): boolean;
  /** The endpoint that has a uid now. */
  endpointOfUid(uid: string): string | undefined;
}

const keyOf = (...ids: readonly string[]) => JSON.stringify(ids);

export async function knownTo(scope: Scope, state: State): Promise<Known> {
  const folders = await parentsOfFolders(scope, state);
  const users = await userKeys(scope, state);
  const agents = await agentIds(scope, state);
  const types = await contentTypes(scope, state);
  const endpoints = await scope.database.selectFrom('endpoints').select(['id', 'uid', 'apiKey']).execute();
  const own = endpoints.filter(({ apiKey }) => apiKey === scope.apiKey);
  const foreign = new Set(endpoints.filter(({ apiKey }) => apiKey !== scope.apiKey).map(({ id }) => id));
  const byUid = new Map(own.map(({ id, uid }) => [uid, id]));
  return {
    parentOf: (organizationId, folderId) => folders.get(keyOf(organizationId, folderId)),
    isUser: (organizationId, userId) => users.has(keyOf(organizationId, userId)),
    isAgent: (agentId) => agents.has(agentId),
    contentType: (content) => types.get(contentKey(content)),
    isForeignEndpoint: (id) => foreign.has(id),
    endpointOfUid: (uid) => byUid.get(uid),
  };
}

/** The organizations of records that exist already, with their surrogate keys. */
function* existing({ organizations }: Scope, records: readonly { readonly organizationId: string }[]) {
  for (const organizationId of new Set(records.map((record) => record.organizationId))) {
    const organization = organizations.get(organizationId);
    if (organization !== undefined) yield [organizationId, organization] as const;
  }
}

async function parentsOfFolders(scope: Scope, { folders, documents }: State): Promise<ReadonlyMap<string, string>> {
  const parents = new Map<string, string>();
  for (const [organizationId, organization] of existing(scope, [...folders, ...documents])) {
    for (const { folderId, parentFolderId } of await allFolders(scope.database, organization)) {
      parents.set(keyOf(organizationId, folderId), parentFolderId);
    }
  }
  for (const { organizationId, folderId, parentFolderId } of folders) {
    const key = keyOf(organizationId, folderId);
    parents.set(key, parentFolderId ?? parents.get(key) ?? ROOT.folderId);
  }
  return parents;
}

async function userKeys(scope: Scope, { users, groups }: State): Promise<ReadonlySet<string>> {
  const known = new Set(users.map(({ organizationId, userId }) => keyOf(organizationId, userId)));
  for (const { organizationId, userIds = [] } of groups) {
    const organization = scope.organizations.get(organizationId);
    const unsure = userIds.filter((userId) => !known.has(keyOf(organizationId, userId)));
    if (organization === undefined) continue;
    for (const batch of batchesOf(unsure)) {
      const found = await selectUsers(scope.database, { organization, userIds: batch });
      for (const { userId } of found) known.add(keyOf(organizationId, userId));
    }
  }
  return known;
}

async function agentIds({ database, apiKey }: Scope, { agents }: State): Promise<ReadonlySet<string>> {
  const rows = await database.selectFrom('agents').select('agentId').where('apiKey', '=', apiKey).execute();
  return new Set([...rows.map(({ agentId }) => agentId), ...agents.map(({ id }) => id)]);
}

async function contentTypes({ database, organizations }: Scope, { crdt }: State): Promise<ReadonlyMap<string, string>> {
  const types = new Map<string, string>();
  for (const content of crdt) {
    const { organizationId, documentId, editorId } = content;
    const organization = organizations.get(organizationId);
    const found =
      organization === undefined ? [] : await selectEditors(database, { organization, documentId, editorId });
    for (const editor of found) {
      const own: Readonly<Record<string, string>> = JSON.parse(editor.types);
      const type = new Map(Object.entries(own)).get(content.contentKey ?? CONTENT_KEY);
      if (type !== undefined) types.set(contentKey(content), type);
    }
  }
  return types;
}

function contentKey({ organizationId, documentId, editorId, contentKey: key = CONTENT_KEY }: Content): string {
  return keyOf(organizationId, documentId, editorId, key);
}
