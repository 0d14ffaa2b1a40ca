import { ACCESS_ROLES, type AccessRole, DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';

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

/**
 * Creates the access check for a document. Grants access to members of all levels up to the first
 * with a restriction of its own. An inherited restriction also allows members of the parent folder.
 * @returns a function that decides about a user, given the user's memberships
 */
export function createAccessCheck({ disabled, path }: DocumentAccess, now: number) {
  const boundary = path.findIndex(
    ({ accessType, inherited }) => accessType === 'restricted' && !inherited,
  );
  return (memberships: readonly AccessMembership[]): AccessDecision => {
    const via: AccessMembership[] = [];
    const nearMisses: NearMiss[] = [];
    for (const [depth, { level, id }] of path.entries()) {
      const membership = memberships.find((each) => each.level === level && each.id === id);
      if (!membership) continue;
      const { [boundary]: restrictedBy } = path;
      if (restrictedBy && depth > boundary) {
        const { level: outer, id: outerId } = restrictedBy;
        nearMisses.push({
          ...membership,
          reason: 'restricted',
          restrictedBy: { level: outer, id: outerId },
        });
      } else if (membership.expiresAt !== null && membership.expiresAt <= now)
        nearMisses.push({ ...membership, reason: 'expired' });
      else if (disabled) nearMisses.push({ ...membership, reason: 'disabled' });
      else via.push(membership);
    }
    const role =
      ACCESS_ROLES.findLast((each) => via.some((membership) => membership.role === each)) ??
      DEFAULT_ACCESS_ROLE;
    return { allowed: via.length > 0, role: via.length > 0 ? role : null, via, nearMisses };
  };
}
