import type { SvcError } from '../kernel/errors.ts';
import type { ConfigName } from './kinds.ts';
import { parseRecordKey, type RecordKey } from './settings.ts';

/**
 * The documents of an organization to read. A folder is read as a whole, to learn which documents
 * it contains.
 */
export interface DocumentQuery {
  readonly organizationId: string;
  /** Documents whose folder does not matter, or all documents. */
  readonly ids: readonly string[] | 'all';
  readonly folders: readonly { readonly folderId: string; readonly ids: readonly string[] }[];
}

/** Selection of records to read. Plain data, so that a saved plan can repeat its reads. */
export interface LiveQuery {
  readonly configs: readonly ConfigName[];
  readonly endpoints: boolean;
  readonly folders: readonly string[];
  readonly documents: readonly DocumentQuery[];
  readonly agents: readonly string[] | 'all';
  readonly apiKeys?: boolean;
}

/** A record as the service returned it. It may contain secrets. */
export type LiveRecord = Readonly<Record<string, unknown>>;

export type Reading<Records> =
  | { readonly records: Records; readonly problem?: undefined }
  | { readonly records?: undefined; readonly problem: SvcError };

type RecordsById = ReadonlyMap<string, LiveRecord>;

export interface LiveRecords {
  readonly configs: ReadonlyMap<ConfigName, Reading<LiveRecord>>;
  readonly endpoints?: Reading<readonly LiveRecord[]>;
  readonly folders: ReadonlyMap<string, Reading<RecordsById>>;
  /**
   * Documents by organization and ID. `folderId` is set for those that were found in a folder of
   * the query.
   */
  readonly documents: ReadonlyMap<string, Reading<RecordsById>>;
  readonly agents: Reading<RecordsById>;
  /** API keys by name. Absent if they were not read. */
  readonly apiKeys?: Reading<RecordsById>;
  readonly reads: number;
}

export function findEndpoint(
  endpoints: readonly LiveRecord[],
  key: string,
): LiveRecord | undefined {
  return endpoints.find(({ uid }) => uid === key) ?? endpoints.find(({ id }) => id === key);
}

/** Returns the record with a key; undefined if it does not exist or could not be read. */
export function findLiveRecord(live: LiveRecords, key: RecordKey): LiveRecord | undefined {
  const { kind, org, id } = parseRecordKey(key);
  switch (kind) {
    case 'folders':
      return live.folders.get(org)?.records?.get(id);
    case 'documents':
      return live.documents.get(org)?.records?.get(id);
    case 'agents':
      return live.agents.records?.get(id);
    case 'config':
      return live.configs.get(id as ConfigName)?.records;
    case 'endpoints':
      return findEndpoint(live.endpoints?.records ?? [], id);
    default:
      return undefined;
  }
}
