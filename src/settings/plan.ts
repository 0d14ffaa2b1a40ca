import type { OperationName } from '../catalog/index.ts';
import type { AccessPreview } from './access-preview.ts';
import type { LiveQuery, LiveRecord } from './live-records.ts';
import type { RecordKey, RecordKind } from './settings.ts';

export type { RecordKey } from './settings.ts';

/**
 * Sign of a change: `+` create, `~` update, `-/+` replace, `-` delete, `>` send without reading
 * back, `!` not possible through the API, `?` not readable.
 */
export type Sign = '+' | '~' | '-/+' | '-' | '>' | '!' | '?';

/** One difference between the declared and the live records. Values never contain secrets. */
export interface Change {
  readonly sign: Sign;
  readonly kind: RecordKind;
  readonly org: string | null;
  /**
   * ID of the record, such as the folder ID, the uid of an endpoint (or its ID), or the name of a
   * configuration.
   */
  readonly id: string | null;
  /** Path of an updated field, joined with dots; null if the change is about the whole record. */
  readonly field: string | null;
  /** Absent if it is unknown. */
  readonly before?: unknown;
  /** For records sent from a file: their number. */
  readonly after: unknown;
  readonly reason?: string;
  /**
   * Declared fields of the whole record, which the writes are made of: `{"$secret": reference}` in
   * place of a secret, a `UsersFileValue` for records sent from a file, and null for a deletion.
   * Absent if nothing is written.
   */
  readonly value?: unknown;
}

/** Returns a key that the changes of one record share. */
export function identifyRecord({ kind, org, id }: Change): string {
  return JSON.stringify([kind, org, id]);
}

/** A file of users, in place of the value of a record. */
export interface UsersFileValue {
  /** Absolute path. */
  readonly from: string;
  readonly sha256: string;
  /** Organization of users without an `organizationId`. */
  readonly organizationId?: string;
}

/** Returns the file of users that changes send, if there is one. */
export function findUsersFile(changes: readonly Change[]): UsersFileValue | undefined {
  const isFile = ({ kind, value }: Change) => kind === 'users' && Object(value).from !== undefined;
  return changes.find(isFile)?.value as UsersFileValue | undefined;
}

export interface PlannedItem {
  readonly key: RecordKey;
  /**
   * Fields of the record, or the operation's whole input; `userId` for operations that take bare
   * IDs. Secrets are `{"$secret": reference}`, or `{"$secret": "live"}` for the live value of a
   * secret that is not declared.
   */
  readonly data: Readonly<Record<string, unknown>>;
  /** Records that must be written first; the item is not sent if one of them failed. */
  readonly requires: readonly RecordKey[];
}

/** Items for one request, or for as many requests as their number needs. */
export interface PlannedWrite {
  readonly operation: OperationName;
  /**
   * Input that all items share, such as the organization ID. Empty if each item is a whole input.
   */
  readonly shared: Readonly<Record<string, unknown>>;
  readonly items: readonly PlannedItem[];
  /**
   * File whose records are sent instead of items, in any organization: those that the ledger does
   * not know.
   */
  readonly from?: PlannedFile;
}

export interface PlannedFile {
  readonly path: string;
  /** Path of the job's copy of the file, from which the records are read. */
  readonly copy?: string;
  readonly records: number;
  /** Organization of users without an `organizationId`. */
  readonly organizationId?: string | undefined;
}

export interface PlanTarget {
  readonly url: string;
  readonly apiKey: string | null;
}

/** Names a target in a sentence: `https://api.example.com`, or `the embedded service`. */
export function nameInSentence({ url }: PlanTarget): string {
  return url.includes('://') ? url : `the ${url}`;
}

export type PlanSummary = Readonly<
  Record<'create' | 'update' | 'replace' | 'delete' | 'send', number>
>;

export interface Plan {
  readonly target: PlanTarget;
  readonly changes: readonly Change[];
  readonly writes: readonly PlannedWrite[];
  readonly predicted: readonly string[];
  /** Sentences about writes that cannot be undone; only in plans of `svc undo`. */
  readonly notRestored: readonly string[];
  readonly summary: PlanSummary;
  readonly query: LiveQuery;
  /**
   * Every live record that the plan depends on, as read. The value is undefined if the record does
   * not exist.
   */
  readonly read: Iterable<ReadRecord>;
  /** Changes of access; only in plans of a settings file. */
  readonly access?: AccessPreview;
}

export type ReadRecord = readonly [key: RecordKey, record: LiveRecord | undefined];
