import { CONFIG_NAMES, type ConfigName } from '../kinds.ts';
import type { DocumentQuery, LiveQuery } from '../live-records.ts';
import {
  type Declared,
  type DeclaredRecord,
  type Kind,
  parseRecordKey,
  type RecordKey,
  type RecordKind,
} from '../settings.ts';

export function queryDeclared(declared: Declared): LiveQuery {
  const { folders = [], documents = [], agents = [], config = {}, endpoints } = declared;
  const { users = [] } = declared;
  const members = 'from' in users ? [] : listResources(users);
  const ofType = (wanted: string) => members.filter(({ type }) => type === wanted);
  return {
    configs: CONFIG_NAMES.filter((name) => config[name] !== undefined),
    endpoints: endpoints !== undefined,
    folders: [...groupByOrganization([...folders, ...ofType('folder')]).keys()],
    documents: Array.from(
      groupByOrganization([...documents, ...ofType('document')]),
      ([org, records]) => queryDocuments(org, records),
    ),
    agents: agents.map(({ id }) => String(id)),
  };
}

/** Lists the folders and documents that users are declared as members of, like declared records. */
function listResources(users: readonly DeclaredRecord[]): readonly DeclaredRecord[] {
  return users.flatMap(({ organizationId, memberships }) =>
    (Array.isArray(memberships) ? memberships : []).map(({ type, id }) => ({
      type,
      organizationId,
      documentId: id,
    })),
  );
}

/** Returns the query for all records of some kinds, in some organizations. */
export function queryKinds(kinds: readonly Kind[], orgs: readonly string[]): LiveQuery {
  const has = (kind: Kind) => kinds.includes(kind);
  return {
    configs: has('config') ? CONFIG_NAMES : [],
    endpoints: has('endpoints'),
    folders: has('folders') ? orgs : [],
    documents: has('documents')
      ? orgs.map((organizationId) => ({ organizationId, ids: 'all', folders: [] }))
      : [],
    agents: has('agents') ? 'all' : [],
  };
}

export function queryKeys(keys: readonly RecordKey[]): LiveQuery {
  const parsed = keys.map(parseRecordKey);
  const ofKind = (wanted: RecordKind) => parsed.filter(({ kind }) => kind === wanted);
  const documents = Map.groupBy(ofKind('documents'), ({ org }) => org);
  return {
    configs: [...new Set(ofKind('config').map(({ id }) => id as ConfigName))],
    endpoints: ofKind('endpoints').length > 0,
    folders: [...new Set(ofKind('folders').map(({ org }) => org))],
    documents: Array.from(documents, ([organizationId, records]) => {
      return { organizationId, ids: records.map(({ id }) => id), folders: [] };
    }),
    agents: [],
  };
}

export function groupByOrganization(
  records: readonly DeclaredRecord[],
): Map<string, DeclaredRecord[]> {
  return Map.groupBy(records, ({ organizationId }) => String(organizationId));
}

function queryDocuments(organizationId: string, records: readonly DeclaredRecord[]): DocumentQuery {
  const byFolder = Map.groupBy(records, ({ folderId }) => folderId);
  const idsOf = (group: readonly DeclaredRecord[]) =>
    group.map(({ documentId }) => String(documentId));
  return {
    organizationId,
    ids: idsOf(byFolder.get(undefined) ?? []),
    folders: Array.from(byFolder).flatMap(([folderId, group]) =>
      typeof folderId === 'string' ? [{ folderId, ids: idsOf(group) }] : [],
    ),
  };
}
