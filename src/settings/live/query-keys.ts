import type { ConfigName } from '../kinds.ts';
import { parseRecordKey, type RecordKey } from '../record-key.ts';
import type { LiveQuery } from './live-records.ts';

/** Returns the query for the records with these keys. */
export function queryKeys(keys: Iterable<RecordKey>): LiveQuery {
  const byKind = Map.groupBy(Array.from(keys, parseRecordKey), ({ kind }) => kind);
  const documents = Map.groupBy(byKind.get('documents') ?? [], ({ org }) => org);
  return {
    configs: [...new Set(byKind.get('config')?.map(({ id }) => id as ConfigName))],
    endpoints: byKind.has('endpoints'),
    folders: [...new Set(byKind.get('folders')?.map(({ org }) => org))],
    documents: Array.from(documents, ([organizationId, records]) => {
      return { organizationId, ids: records.map(({ id }) => id), folders: [] };
    }),
    agents: [],
  };
}
