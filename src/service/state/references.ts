import type { Finding } from '../../catalog/define.ts';
import { IDENTITIES, type State } from '../../catalog/state.ts';
import { parseXml } from '../records/crdt-xml.ts';
import { ROOT } from '../records/folder.ts';
import { type Known, knownTo } from './known.ts';
import type { Scope } from './section.ts';

/** What in a state, though each record is right by itself, does not fit together or with what the store holds. */
export async function findingsIn(scope: Scope, state: State): Promise<readonly Finding[]> {
  const known = await knownTo(scope, state);
  return [
    ...brokenTexts(state),
    ...duplicates(state),
    ...strayFolders(state, known),
    ...strayDocuments(state, known),
    ...strayMembers(state, known),
    ...strayAgents(state, known),
    ...unfitContents(state, known),
    ...unfitEndpoints(state, known),
  ];
}

function* brokenTexts(state: State): Generator<Finding> {
  for (const [kind, part] of Object.entries(state)) {
    for (const [at, record] of Object.entries(part)) {
      if (isWellFormed(record)) continue;
      const path = [kind, Array.isArray(part) ? Number(at) : at];
      yield { path, message: 'half of a surrogate pair is no text: write the whole character' };
    }
  }
}

/** Half of a surrogate pair cannot be stored as UTF-8: two different ids would become one. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/** Records of one list that are one and the same. */
function* duplicates(state: State): Generator<Finding> {
  for (const [kind, fields] of Object.entries(IDENTITIES) as [keyof typeof IDENTITIES, readonly string[]][]) {
    const seen = new Map<string, number>();
    for (const [at, record] of (state[kind] as readonly Readonly<Record<string, unknown>>[]).entries()) {
      const last = fields.at(-1) ?? '';
      const values = fields.map((field) => record[field] ?? null);
      const identity = JSON.stringify(values);
      const first = seen.get(identity);
      if (first !== undefined && values.at(-1) !== null) {
        yield { path: [kind, at, last], message: `'${record[last]}' is ${kind}[${first}] already` };
      }
      seen.set(identity, first ?? at);
    }
  }
}

/** Folders without a parent, or inside themselves. */
function* strayFolders({ folders }: State, { parentOf }: Known): Generator<Finding> {
  const settled = new Set<string>();
  for (const [at, { organizationId, folderId }] of folders.entries()) {
    const path = ['folders', at, 'parentFolderId'];
    if (folderId === ROOT.folderId) {
      yield { path: ['folders', at, 'folderId'], message: `'${folderId}' is the top level, not a folder` };
      continue;
    }
    const way = new Set<string>();
    for (let id = folderId; id !== ROOT.folderId; ) {
      const key = JSON.stringify([organizationId, id]);
      if (settled.has(key)) break;
      const parent = way.has(key) ? undefined : parentOf(organizationId, id);
      if (parent === undefined) {
        yield { path, message: way.has(key) ? 'the folder would stand inside itself' : noFolder(id) };
        break;
      }
      way.add(key);
      id = parent;
    }
    for (const key of way) settled.add(key);
  }
}

function noFolder(id: string): string {
  return `there is no folder '${id}'`;
}

function* strayDocuments({ documents }: State, { parentOf }: Known): Generator<Finding> {
  for (const [at, { organizationId, folderId = ROOT.folderId }] of documents.entries()) {
    const isKnown = folderId === ROOT.folderId || parentOf(organizationId, folderId) !== undefined;
    if (!isKnown) yield { path: ['documents', at, 'folderId'], message: noFolder(folderId) };
  }
}

/** Members of groups who are no users, and memberships of other organizations. */
function* strayMembers({ users, groups }: State, { isUser }: Known): Generator<Finding> {
  for (const [at, { organizationId, memberships = [] }] of users.entries()) {
    for (const [index, { type, id }] of memberships.entries()) {
      if (type !== 'organization' || id === organizationId) continue;
      yield { path: ['users', at, 'memberships', index, 'id'], message: `is not the user's own organization` };
    }
  }
  for (const [at, { organizationId, userIds = [] }] of groups.entries()) {
    for (const [index, userId] of userIds.entries()) {
      if (isUser(organizationId, userId)) continue;
      yield { path: ['groups', at, 'userIds', index], message: `there is no user '${userId}'` };
    }
  }
}

function* strayAgents({ agentGroups }: State, { isAgent }: Known): Generator<Finding> {
  for (const [at, { agentIds }] of agentGroups.entries()) {
    for (const [index, id] of agentIds.entries()) {
      if (!isAgent(id)) yield { path: ['agentGroups', at, 'agentIds', index], message: `there is no agent '${id}'` };
    }
  }
}

/** Contents that are no XML though they say so, or of another type than the editor's. */
function* unfitContents({ crdt }: State, { contentType }: Known): Generator<Finding> {
  for (const [at, content] of crdt.entries()) {
    const { type, data } = content;
    if (type === 'xml' && !parseXml(String(data))) {
      yield { path: ['crdt', at, 'data'], message: 'not well-formed XML' };
    }
    const known = contentType(content);
    if (known !== undefined && known !== type) {
      yield { path: ['crdt', at, 'type'], message: `the content is of type ${known} already` };
    }
  }
}

/** Endpoints that another API key has, or whose uid another endpoint has. */
function* unfitEndpoints({ endpoints }: State, { isForeignEndpoint, endpointOfUid }: Known): Generator<Finding> {
  const taken = new Map<string, number>();
  for (const [at, { id, uid }] of endpoints.entries()) {
    if (id !== undefined && isForeignEndpoint(id)) {
      yield { path: ['endpoints', at, 'id'], message: 'an endpoint of another API key' };
    }
    if (uid === undefined || uid === null) continue;
    const owner = endpointOfUid(uid);
    const first = taken.get(uid);
    if (first !== undefined)
      yield { path: ['endpoints', at, 'uid'], message: `'${uid}' is the uid of endpoints[${first}]` };
    else if (id !== undefined && owner !== undefined && owner !== id) {
      yield { path: ['endpoints', at, 'uid'], message: `'${uid}' is the uid of endpoint ${owner}` };
    }
    taken.set(uid, first ?? at);
  }
}
