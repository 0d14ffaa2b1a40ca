import { CONFIG_NAMES } from '../kinds.ts';
import type { Declared, DeclaredRecord } from '../settings.ts';
import type { DocumentQuery, LiveQuery } from './live-records.ts';

/** Returns the query for the declared records, and nothing else. */
export function queryDeclared(declared: Declared): LiveQuery {
  const { folders = [], documents = [], agents = [], config = {}, endpoints } = declared;
  return {
    configs: CONFIG_NAMES.filter((name) => config[name] !== undefined),
    endpoints: endpoints !== undefined,
    folders: [...groupByOrganization(folders).keys()],
    documents: Array.from(groupByOrganization(documents), ([org, records]) => queryDocuments(org, records)),
    agents: agents.map(({ id }) => String(id)),
  };
}

export function groupByOrganization(records: readonly DeclaredRecord[]): Map<string, DeclaredRecord[]> {
  return Map.groupBy(records, ({ organizationId }) => String(organizationId));
}

function queryDocuments(organizationId: string, records: readonly DeclaredRecord[]): DocumentQuery {
  const byFolder = Map.groupBy(records, ({ folderId }) => folderId);
  const idsOf = (group: readonly DeclaredRecord[]) => group.map(({ documentId }) => String(documentId));
  return {
    organizationId,
    ids: idsOf(byFolder.get(undefined) ?? []),
    folders: Array.from(byFolder).flatMap(([folderId, group]) =>
      typeof folderId === 'string' ? [{ folderId, ids: idsOf(group) }] : [],
    ),
  };
}
