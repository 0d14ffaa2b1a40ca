import { ACCESS_ROLES, DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import type {
  AccessDecision,
  AccessLevelSettings,
  AccessMembership,
  DocumentAccess,
  NearMiss,
} from '../../catalog/local/access.ts';

interface AccessFolder {
  readonly folderId: string;
  readonly accessType: string;
  readonly inheritAccessFromParent: boolean;
}

/**
 * Lists the levels above a document: its folders, from the innermost to the outermost, and the
 * organization, whose ID is empty.
 */
export function createAccessPath(folders: readonly AccessFolder[]): readonly AccessLevelSettings[] {
  return [
    ...folders.map(
      ({ folderId: id, accessType, inheritAccessFromParent: inherited }): AccessLevelSettings => ({
        level: 'folder',
        id,
        accessType,
        inherited,
      }),
    ),
    { level: 'organization', id: '', accessType: 'public' },
  ];
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
