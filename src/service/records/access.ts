import { ACCESS_ROLES, type AccessRole, DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { MemberLevel } from '../store/tables.ts';
import { findFolders } from './folders.ts';

interface AccessLevel {
  readonly level: MemberLevel;
  /** ID of the folder or document. Empty for the organization. */
  readonly resourceId: string;
}

/** A level between a document and its organization, with its access settings. */
export interface AccessLevelSettings extends AccessLevel {
  readonly accessType: string;
  /** Whether `accessType` is inherited from the level above. */
  readonly isInherited?: boolean;
}

export interface DocumentAccess {
  /** Whether the document is disabled. Nobody has access to a disabled document. */
  readonly isDisabled: boolean;
  /** The document, its folders from the innermost to the outermost, and the organization. */
  readonly path: readonly AccessLevelSettings[];
}

export interface Membership extends AccessLevel {
  /** Null for the default role. */
  readonly accessRole: string | null;
  /** Null for no expiry. */
  readonly expiresAt: number | null;
}

export interface Grant extends AccessLevel {
  readonly role: AccessRole;
  readonly expiresAt: number | null;
}

/** A membership that does not grant access, and why. A restriction is at the level `restrictedBy`. */
export interface NearMiss extends Grant {
  readonly reason: 'restricted' | 'expired' | 'disabled';
  readonly restrictedBy?: AccessLevel;
}

export interface AccessDecision {
  /** Memberships that grant access, from the document upwards. Without any, access is denied. */
  readonly via: readonly Grant[];
  /** The strongest role of all grants; undefined if access is denied. */
  readonly role: AccessRole | undefined;
  readonly nearMisses: readonly NearMiss[];
}

/**
 * Creates the access check for a document. Grants access to members of all levels up to the first with a restriction of
 * its own. An inherited restriction also allows members of the parent folder.
 * @returns a function that decides about a user, given the user's memberships in the organization
 */
export function createAccessCheck({ isDisabled, path }: DocumentAccess, now: number) {
  const boundary = path.findIndex(({ accessType, isInherited }) => accessType === 'restricted' && !isInherited);
  const depths = new Map(path.map((level, depth) => [keyOf(level), depth]));
  return (memberships: readonly Membership[]): AccessDecision => {
    const via: Grant[] = [];
    const nearMisses: NearMiss[] = [];
    const depthOf = (membership: AccessLevel) => depths.get(keyOf(membership)) ?? Number.POSITIVE_INFINITY;
    for (const membership of [...memberships].sort((a, b) => depthOf(a) - depthOf(b))) {
      const depth = depthOf(membership);
      if (depth >= path.length) continue;
      const { level, resourceId, accessRole, expiresAt } = membership;
      const role = ACCESS_ROLES.find((known) => known === accessRole) ?? DEFAULT_ACCESS_ROLE;
      const grant = { level, resourceId, role, expiresAt };
      const restrictedBy = boundary >= 0 && depth > boundary ? path[boundary] : undefined;
      if (restrictedBy) nearMisses.push({ ...grant, reason: 'restricted', restrictedBy });
      else if (expiresAt !== null && expiresAt <= now) nearMisses.push({ ...grant, reason: 'expired' });
      else if (isDisabled) nearMisses.push({ ...grant, reason: 'disabled' });
      else via.push(grant);
    }
    return { via, role: ACCESS_ROLES.findLast((role) => via.some((grant) => grant.role === role)), nearMisses };
  };
}

const keyOf = ({ level, resourceId }: AccessLevel) => `${level} ${resourceId}`;

const selectDocuments = prepareSelect('documents', ['documentId', 'folderId', 'accessType', 'disabled']);

/** Reads the access settings of the documents that exist, with those of their folders. */
export async function findDocumentAccess(
  database: Database,
  organization: number,
  documentId: readonly string[],
): Promise<ReadonlyMap<string, DocumentAccess>> {
  const documents = await selectDocuments(database, { organization, documentId });
  const folders = await findFolders(database, organization, [
    ...new Set(documents.flatMap((document) => document.folderId ?? [])),
  ]);
  const ancestorIds = new Set([...folders.values()].flatMap(({ ancestors }) => ancestors));
  const ancestors = await findFolders(database, organization, [...ancestorIds]);
  const settings = documents.map(({ documentId: resourceId, folderId, accessType, disabled }) => {
    const folder = folders.get(folderId ?? '');
    const outer = folder?.ancestors.toReversed().flatMap((ancestorId) => ancestors.get(ancestorId) ?? []) ?? [];
    const path: AccessLevelSettings[] = [{ level: 'document', resourceId, accessType }];
    for (const { folderId: id, ...own } of folder ? [folder, ...outer] : []) {
      path.push({ level: 'folder', resourceId: id, accessType: own.accessType, isInherited: own.inheritAccessFromParent });
    }
    path.push({ level: 'organization', resourceId: '', accessType: 'public' });
    return [resourceId, { isDisabled: disabled === 1, path }] as const;
  });
  return new Map(settings);
}

interface MembershipQuery {
  readonly organization: number;
  readonly userIds: readonly string[];
  readonly levels: readonly AccessLevel[];
}

const selectMemberships = prepareQuery((database, { organization, userIds, levels }: MembershipQuery) =>
  database
    .selectFrom('members')
    .select(['userId', 'level', 'resourceId', 'accessRole', 'expiresAt'])
    .where('organization', '=', organization)
    .where('userId', 'in', userIds)
    .where(({ eb, and, or }) =>
      or(levels.map(({ level, resourceId }) => and([eb('level', '=', level), eb('resourceId', '=', resourceId)]))),
    ),
);

/** Decides about each of the users; nobody has access to a document that does not exist. */
export async function decideAccess(
  database: Database,
  { organization, userIds, now }: Omit<MembershipQuery, 'levels'> & { readonly now: number },
  document: DocumentAccess = { isDisabled: false, path: [] },
): Promise<ReadonlyMap<string, AccessDecision>> {
  const levels = document.path.map(({ level, resourceId }) => ({ level, resourceId }));
  const found = await selectMemberships(database, { organization, userIds, levels });
  const memberships = Map.groupBy(found, ({ userId }) => userId);
  const check = createAccessCheck(document, now);
  return new Map(userIds.map((userId) => [userId, check(memberships.get(userId) ?? [])]));
}
