import type { AccessRole } from '../../../catalog/access-roles.ts';

export interface ListFilter {
  readonly organization?: string | undefined;
  /** Text that an ID, a name, or another searched field contains. Ignores case. */
  readonly match?: string | undefined;
  readonly limit?: number | undefined;
}

export interface RecordList {
  readonly records: readonly StoredRecord[];
  /** Whether more records exist. */
  readonly more: boolean;
}

/** A record. */
export type StoredRecord = Readonly<Record<string, unknown>>;

export interface RecordRequest {
  /** Organization, user, group, folder, or document. */
  readonly kind: string;
  readonly id: string;
  /** Default: all organizations that have the ID. */
  readonly organization?: string | undefined;
}

export interface AccessQuestion {
  readonly user: string;
  readonly document: string;
  readonly organization: string;
}

interface Level {
  readonly level: 'document' | 'folder' | 'organization';
  readonly id: string;
}

interface ExplainedGrant extends Level {
  readonly role: AccessRole;
  /** RFC 3339. Null for no expiry. */
  readonly expiresAt: string | null;
}

interface ExplainedNearMiss extends ExplainedGrant {
  readonly reason: 'restricted' | 'expired' | 'disabled';
  /** The level whose restriction excludes the membership. */
  readonly restrictedBy?: Level;
}

export interface Explanation extends AccessQuestion {
  readonly allowed: boolean;
  readonly role: AccessRole | null;
  /** Whether nobody can open the document, because it is disabled. */
  readonly disabled: boolean;
  readonly via: readonly ExplainedGrant[];
  readonly nearMisses: readonly ExplainedNearMiss[];
  /** The levels from the document to the organization. A folder with `inherited` has the access type of its parent. */
  readonly path: readonly (Level & { readonly accessType: string; readonly inherited: boolean })[];
  /** A command that gives the user access. Null if the user has access, or if the document is disabled. */
  readonly grant: string | null;
}
