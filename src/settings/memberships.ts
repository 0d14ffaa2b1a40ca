import { type AccessRole, DEFAULT_ACCESS_ROLE } from '../catalog/access-roles.ts';
import type { AccessMembership } from '../catalog/local/access.ts';
import { toExpiry } from '../kernel/timestamp.ts';
import type { PlannedItem, PlannedWrite } from './plan.ts';

/** A user's memberships in one organization by level and ID. The ID of the organization is empty. */
export type Memberships = ReadonlyMap<string, AccessMembership>;

export const NO_MEMBERSHIPS: Memberships = new Map();

/** A request to add a membership, or to replace its role and end. */
export interface Grant extends Pick<AccessMembership, 'level' | 'id' | 'expiresAt'> {
  /** Role to set. Undefined keeps the role of an existing membership. */
  readonly role: AccessRole | undefined;
}

/** A grant for a user of an organization. */
export interface UserGrant extends Grant {
  readonly organizationId: string;
  readonly userId: string;
}

/** Grants by organization and user, in the order in which they are sent. */
export type GrantsByUser = ReadonlyMap<string, ReadonlyMap<string, readonly Grant[]>>;

/** Collects grants. Users with the same grants share them, because a file may have a million users. */
export class GrantLog {
  readonly #grants = new Map<string, Map<string, readonly Grant[]>>();
  readonly #shared = new Map<string, readonly Grant[]>();

  get grants(): GrantsByUser {
    return this.#grants;
  }

  add({ organizationId, userId, ...grant }: UserGrant): void {
    const users = this.#grants.get(organizationId) ?? new Map<string, readonly Grant[]>();
    this.#grants.set(organizationId, users);
    const own = [...(users.get(userId) ?? []), grant];
    const text = JSON.stringify(own);
    const shared = this.#shared.get(text) ?? own;
    this.#shared.set(text, shared);
    users.set(userId, shared);
  }
}

export function createMemberships(list: Iterable<AccessMembership>): Memberships {
  return new Map(Array.from(list, (membership) => [levelKey(membership), membership]));
}

/** Identifies a level: `folder/plans`. */
export function levelKey({ level, id }: Pick<AccessMembership, 'level' | 'id'>): string {
  return `${level}/${id}`;
}

/** Returns the memberships after grants, as the service stores them. */
export function addGrants(memberships: Memberships, grants: readonly Grant[]): Memberships {
  const after = new Map(memberships);
  for (const { level, id, role, expiresAt } of grants) {
    const key = levelKey({ level, id });
    const kept = role ?? after.get(key)?.role ?? DEFAULT_ACCESS_ROLE;
    after.set(key, { level, id, role: kept, expiresAt });
  }
  return after;
}

/** Returns the grants of one item of a write, in the order in which the service makes them. */
export function grantsOf(
  { operation, shared }: Pick<PlannedWrite, 'operation' | 'shared'>,
  { data }: Pick<PlannedItem, 'data'>,
): readonly UserGrant[] {
  switch (operation) {
    case 'users.add':
      return [grantOfUser({ ...shared, userId: data['userId'] })];
    case 'users.add.v2':
      return [grantOfUser({ ...shared, userId: data['userId'], accessRole: data['accessRole'] })];
    case 'permissions.add':
      return grantsOfPermissions(data);
    default:
      return [];
  }
}

interface AddedUser {
  readonly organizationId?: unknown;
  readonly folderId?: unknown;
  readonly documentId?: unknown;
  readonly userId?: unknown;
  readonly accessRole?: unknown;
}

function grantOfUser(added: AddedUser): UserGrant {
  const { organizationId, folderId, documentId, userId, accessRole } = added;
  const about = {
    organizationId: String(organizationId),
    userId: String(userId),
    role: accessRole as AccessRole | undefined,
    expiresAt: null,
  };
  if (documentId !== undefined) return { ...about, level: 'document', id: String(documentId) };
  if (folderId !== undefined) return { ...about, level: 'folder', id: String(folderId) };
  return { ...about, level: 'organization', id: '' };
}

interface Permissions {
  readonly user: { readonly userId: string };
  readonly permissions: {
    readonly resources: readonly {
      readonly type: AccessMembership['level'];
      readonly id: string;
      readonly organizationId?: string;
      readonly accessRole?: AccessRole;
      /** Time in Unix seconds. */
      readonly expiresAt?: number;
    }[];
  };
}

function grantsOfPermissions(data: PlannedItem['data']): readonly UserGrant[] {
  const { user, permissions } = Object(data) as Permissions;
  return permissions.resources.map(
    ({ type, id, organizationId = id, accessRole = DEFAULT_ACCESS_ROLE, expiresAt }) => {
      const isOrganization = type === 'organization';
      return {
        organizationId: isOrganization ? id : organizationId,
        userId: user.userId,
        level: type,
        id: isOrganization ? '' : id,
        role: accessRole,
        expiresAt: expiresAt === undefined ? null : toExpiry(expiresAt),
      };
    },
  );
}
