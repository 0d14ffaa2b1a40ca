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
