import type { AccessRole } from '../access-roles.ts';

interface AccessLevel {
  readonly level: 'document' | 'folder' | 'organization';
  readonly id: string;
}

/** A level between a document and its organization, with its access settings. */
export interface AccessLevelSettings extends AccessLevel {
  readonly accessType: string;
  /** Whether `accessType` is inherited from the level above. */
  readonly inherited?: boolean;
}

export interface DocumentAccess {
  /** Whether the document is disabled. Nobody has access to a disabled document. */
  readonly disabled: boolean;
  /** The document, its folders from the innermost to the outermost, and the organization. */
  readonly path: readonly AccessLevelSettings[];
}

export interface AccessMembership extends AccessLevel {
  readonly role: string;
  /** Time in milliseconds. Null for no expiry. */
  readonly expiresAt: number | null;
}

/**
 * A membership that does not grant access, and why. A restriction is at the level `restrictedBy`.
 */
export interface NearMiss extends AccessMembership {
  readonly reason: 'restricted' | 'expired' | 'disabled';
  readonly restrictedBy?: AccessLevel;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** The strongest role of all memberships that grant access. Null if access is denied. */
  readonly role: AccessRole | null;
  /** The memberships that grant access, from the document upwards. */
  readonly via: readonly AccessMembership[];
  readonly nearMisses: readonly NearMiss[];
}
