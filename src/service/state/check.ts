import { ROLE_AND_MEMBERSHIPS } from '../../catalog/access-roles.ts';
import type { InputProblem } from '../../catalog/define.ts';
import { LIST_KINDS, RECORD_KINDS } from '../../catalog/record-kinds.ts';
import type { State } from '../../catalog/state.ts';
import { isWellFormed } from '../calls/validate.ts';
import { ROOT } from '../records/folder.ts';
import { buildReferenceIndex, type ReferenceIndex } from './reference-index.ts';
import type { StateScope } from './section.ts';

/**
 * Finds conflicts within a state, and between a state and the store. Each record must be valid by
 * itself.
 */
export async function checkState(
  scope: StateScope,
  state: State,
): Promise<readonly InputProblem[]> {
  const index = await buildReferenceIndex(scope, state);
  return [
    ...findInvalidTexts(state),
    ...findDuplicates(state),
    ...findInvalidFolders(state, index),
    ...findInvalidDocuments(state, index),
    ...findInvalidMembers(state, index),
    ...findInvalidAgents(state, index),
    ...(await Array.fromAsync(findInvalidContents(state, index))),
    ...findInvalidEndpoints(state, index),
  ];
}

function* findInvalidTexts(state: State): Generator<InputProblem> {
  for (const [kind, section] of Object.entries(state)) {
    for (const [at, record] of Object.entries(section)) {
      if (isWellFormed(record)) continue;
      const path = [kind, Array.isArray(section) ? Number(at) : at];
      yield {
        path,
        message:
          'contains an unpaired surrogate, which cannot be stored as UTF-8: write the whole character',
      };
    }
  }
}

function* findDuplicates(state: State): Generator<InputProblem> {
  for (const kind of LIST_KINDS) {
    const fields: readonly string[] = RECORD_KINDS[kind].identity;
    const positions = new Map<string, number>();
    for (const [at, record] of (
      state[kind] as readonly Readonly<Record<string, unknown>>[]
    ).entries()) {
      const lastField = fields.at(-1) ?? '';
      const values = fields.map((field) => record[field] ?? null);
      const identity = JSON.stringify(values);
      const first = positions.get(identity);
      if (first !== undefined && values.at(-1) !== null)
        yield {
          path: [kind, at, lastField],
          message: `'${record[lastField]}' is already in use by ${kind}[${first}]`,
        };
      positions.set(identity, first ?? at);
    }
  }
}

function* findInvalidFolders(
  { folders }: State,
  { parentOf }: ReferenceIndex,
): Generator<InputProblem> {
  const checked = new Set<string>();
  for (const [at, { organizationId, folderId }] of folders.entries()) {
    const field = ['folders', at, 'parentFolderId'];
    if (folderId === ROOT.folderId) {
      yield {
        path: ['folders', at, 'folderId'],
        message: `'${folderId}' is reserved for the top level`,
      };
      continue;
    }
    const visited = new Set<string>();
    for (let id = folderId; id !== ROOT.folderId; ) {
      const key = JSON.stringify([organizationId, id]);
      if (checked.has(key)) break;
      const parent = visited.has(key) ? undefined : parentOf(organizationId, id);
      if (parent === undefined) {
        yield {
          path: field,
          message: visited.has(key) ? 'the folder would contain itself' : missingFolderMessage(id),
        };
        break;
      }
      visited.add(key);
      id = parent;
    }
    for (const key of visited) checked.add(key);
  }
}

function missingFolderMessage(id: string): string {
  return `folder '${id}' does not exist`;
}

function* findInvalidDocuments(
  { documents }: State,
  { parentOf }: ReferenceIndex,
): Generator<InputProblem> {
  for (const [at, { organizationId, folderId = ROOT.folderId }] of documents.entries()) {
    const isKnown = folderId === ROOT.folderId || parentOf(organizationId, folderId) !== undefined;
    if (!isKnown)
      yield { path: ['documents', at, 'folderId'], message: missingFolderMessage(folderId) };
  }
}

function* findInvalidMembers(
  { users, groups }: State,
  { hasUser }: ReferenceIndex,
): Generator<InputProblem> {
  for (const [at, { organizationId, accessRole, memberships = [] }] of users.entries()) {
    if (accessRole !== undefined && memberships.length > 0)
      yield { path: ['users', at, 'accessRole'], message: ROLE_AND_MEMBERSHIPS };
    for (const [index, { type, id }] of memberships.entries()) {
      if (type !== 'organization' || id === organizationId) continue;
      yield {
        path: ['users', at, 'memberships', index, 'id'],
        message: `must be the user's own organization '${organizationId}', got '${id}'`,
      };
    }
  }
  for (const [at, { organizationId, userIds = [] }] of groups.entries()) {
    for (const [index, userId] of userIds.entries()) {
      if (hasUser(organizationId, userId)) continue;
      yield { path: ['groups', at, 'userIds', index], message: `user '${userId}' does not exist` };
    }
  }
}

function* findInvalidAgents(
  { agentGroups }: State,
  { hasAgent }: ReferenceIndex,
): Generator<InputProblem> {
  for (const [at, { agentIds }] of agentGroups.entries()) {
    for (const [index, id] of agentIds.entries()) {
      if (!hasAgent(id))
        yield {
          path: ['agentGroups', at, 'agentIds', index],
          message: `agent '${id}' does not exist`,
        };
    }
  }
}

async function* findInvalidContents(
  { crdt }: State,
  { contentTypeOf }: ReferenceIndex,
): AsyncGenerator<InputProblem> {
  if (crdt.length === 0) return;
  const { parseXml } = await import('../records/crdt-xml.ts');
  for (const [at, content] of crdt.entries()) {
    const { type, data } = content;
    if (type === 'xml' && !parseXml(String(data)))
      yield { path: ['crdt', at, 'data'], message: 'must be well-formed XML' };
    const stored = contentTypeOf(content);
    if (stored !== undefined && stored !== type)
      yield {
        path: ['crdt', at, 'type'],
        message: `must be "${stored}", the type of the existing content, got "${type}"`,
      };
  }
}

function* findInvalidEndpoints(
  { endpoints }: State,
  { isForeignEndpoint, endpointIdOf }: ReferenceIndex,
): Generator<InputProblem> {
  const firstUses = new Map<string, number>();
  for (const [at, { id, uid }] of endpoints.entries()) {
    if (id !== undefined && isForeignEndpoint(id))
      yield {
        path: ['endpoints', at, 'id'],
        message: `endpoint '${id}' belongs to another API key`,
      };
    if (uid === undefined || uid === null) continue;
    const owner = endpointIdOf(uid);
    const first = firstUses.get(uid);
    if (first !== undefined)
      yield {
        path: ['endpoints', at, 'uid'],
        message: `uid '${uid}' is already in use by endpoints[${first}]`,
      };
    else if (id !== undefined && owner !== undefined && owner !== id) {
      yield {
        path: ['endpoints', at, 'uid'],
        message: `uid '${uid}' is already in use by endpoint ${owner}`,
      };
    }
    firstUses.set(uid, first ?? at);
  }
}
