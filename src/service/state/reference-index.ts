import type { State } from '../../catalog/state.ts';
import { DEFAULT_CONTENT_KEY, parseTypes, selectEditors } from '../records/editor-rows.ts';
import { ROOT } from '../records/folder.ts';
import { findAllFolders } from '../records/folders.ts';
import { selectUsers } from '../records/users.ts';
import { chunkRows } from '../store/statements.ts';
import type { StateScope } from './section.ts';

type ContentRecord = State['crdt'][number];
/** Index of the objects that a state refers to, as they will be after the import. */
export interface ReferenceIndex {
  /** Returns the parent of a folder. Returns `undefined` if the folder does not exist. */
  readonly parentOf: (organizationId: string, folderId: string) => string | undefined;
  readonly hasUser: (organizationId: string, userId: string) => boolean;
  readonly hasAgent: (agentId: string) => boolean;
  readonly contentTypeOf: (content: ContentRecord) => string | undefined;
  readonly isForeignEndpoint: (id: string) => boolean;
  readonly endpointIdOf: (uid: string) => string | undefined;
}

const keyOf = (...ids: readonly string[]) => JSON.stringify(ids);

export async function buildReferenceIndex(
  scope: StateScope,
  state: State,
): Promise<ReferenceIndex> {
  const folders = await collectFolderParents(scope, state);
  const users = await collectUserKeys(scope, state);
  const agentRows = await scope.database
    .selectFrom('agents')
    .select('agentId')
    .where('apiKey', '=', scope.apiKey)
    .execute();
  const agents = new Set([
    ...agentRows.map(({ agentId }) => agentId),
    ...state.agents.map(({ id }) => id),
  ]);
  const types = await collectContentTypes(scope, state);
  const endpoints = await scope.database
    .selectFrom('endpoints')
    .select(['id', 'uid', 'apiKey'])
    .execute();
  const ownEndpoints = endpoints.filter(({ apiKey }) => apiKey === scope.apiKey);
  const foreign = new Set(
    endpoints.filter(({ apiKey }) => apiKey !== scope.apiKey).map(({ id }) => id),
  );
  const byUid = new Map(ownEndpoints.map(({ id, uid }) => [uid, id]));
  return {
    parentOf: (organizationId, folderId) => folders.get(keyOf(organizationId, folderId)),
    hasUser: (organizationId, userId) => users.has(keyOf(organizationId, userId)),
    hasAgent: (agentId) => agents.has(agentId),
    contentTypeOf: (content) => types.get(contentKey(content)),
    isForeignEndpoint: (id) => foreign.has(id),
    endpointIdOf: (uid) => byUid.get(uid),
  };
}

function* existingOrganizations(
  { organizations }: StateScope,
  records: readonly { readonly organizationId: string }[],
) {
  for (const organizationId of new Set(records.map((record) => record.organizationId))) {
    const organization = organizations.get(organizationId);
    if (organization !== undefined) yield [organizationId, organization] as const;
  }
}

async function collectFolderParents(
  scope: StateScope,
  { folders, documents }: State,
): Promise<ReadonlyMap<string, string>> {
  const parents = new Map<string, string>();
  for (const [organizationId, organization] of existingOrganizations(scope, [
    ...folders,
    ...documents,
  ])) {
    for (const { folderId, parentFolderId } of await findAllFolders(scope.database, organization))
      parents.set(keyOf(organizationId, folderId), parentFolderId);
  }
  for (const { organizationId, folderId, parentFolderId } of folders) {
    const key = keyOf(organizationId, folderId);
    parents.set(key, parentFolderId ?? parents.get(key) ?? ROOT.folderId);
  }
  return parents;
}

async function collectUserKeys(
  scope: StateScope,
  { users, groups }: State,
): Promise<ReadonlySet<string>> {
  const known = new Set(users.map(({ organizationId, userId }) => keyOf(organizationId, userId)));
  for (const { organizationId, userIds = [] } of groups) {
    const organization = scope.organizations.get(organizationId);
    const unresolved = userIds.filter((userId) => !known.has(keyOf(organizationId, userId)));
    if (organization === undefined) continue;
    for (const batch of chunkRows(unresolved)) {
      const found = await selectUsers(scope.database, { organization, userId: batch });
      for (const { userId } of found) known.add(keyOf(organizationId, userId));
    }
  }
  return known;
}

async function collectContentTypes(
  { database, organizations }: StateScope,
  { crdt }: State,
): Promise<ReadonlyMap<string, string>> {
  const types = new Map<string, string>();
  for (const content of crdt) {
    const { organizationId, documentId, editorId } = content;
    const organization = organizations.get(organizationId);
    const found =
      organization === undefined
        ? []
        : await selectEditors(database, { organization, documentId, editorId });
    for (const editor of found) {
      const type = parseTypes(editor).get(content.contentKey ?? DEFAULT_CONTENT_KEY);
      if (type !== undefined) types.set(contentKey(content), type);
    }
  }
  return types;
}

function contentKey({
  organizationId,
  documentId,
  editorId,
  contentKey: key = DEFAULT_CONTENT_KEY,
}: ContentRecord): string {
  return keyOf(organizationId, documentId, editorId, key);
}
