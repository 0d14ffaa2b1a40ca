import type { AccessDecision, DocumentAccess } from './access.ts';
import type { ShownKind } from './stored-kinds.ts';

export interface ListFilter {
  readonly organization?: string | undefined;
  /** Text that an ID, a name, or another searched field contains. Ignores case. */
  readonly match?: string | undefined;
  /** Default: 50. */
  readonly limit?: number | undefined;
}

export type StoredRecord = Readonly<Record<string, unknown>>;

export interface StoredRecords {
  readonly records: readonly StoredRecord[];
  readonly more: boolean;
}

export interface RecordRequest {
  readonly kind: ShownKind;
  readonly id: string;
  /** Default: all organizations that have the ID. */
  readonly organization?: string | undefined;
}

export interface AccessQuestion {
  readonly user: string;
  readonly document: string;
  readonly organization: string;
}

export interface Explanation extends AccessQuestion, AccessDecision, DocumentAccess {
  /**
   * Command that grants the user access. Null if the user has access or the document is disabled.
   */
  readonly grant: string | null;
}

/**
 * A copy of all data in a store, including API keys and tokens, but not the clock or the fault
 * rules.
 */
export interface Snapshot {
  readonly name: string;
  readonly bytes: number;
  /** Time in RFC 3339. */
  readonly savedAt: string;
  readonly records: Readonly<Record<string, number>>;
}

export interface RequestRecord {
  readonly id: number;
  /** Start of the request in real time, in RFC 3339. */
  readonly time: string;
  readonly method: string;
  /** Path without the query string. */
  readonly path: string;
  /** Null if the request was rejected before its operation was determined. */
  readonly operation: string | null;
  readonly org: string | null;
  /** HTTP status, or null if no response was sent. */
  readonly status: number | null;
  /** Value of `error.status` in the response. */
  readonly error: string | null;
  readonly ms: number;
  readonly records: number | null;
  readonly failed: number;
  readonly fault: string | null;
}

/**
 * A request with its bodies, without secrets. A body is null if it was empty, not JSON, or too
 * large to keep.
 */
export interface RequestDetail extends RequestRecord {
  readonly request: unknown;
  readonly response: unknown;
}
