import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { toEpochSeconds } from '../../kernel/timestamp.ts';
import { toSentRecord } from '../ledger.ts';
import type { Change, PlannedItem, PlannedWrite, UsersFileValue } from '../plan.ts';
import {
  createRecordKey,
  type DeclaredRecord,
  type DeclaredUsersFile,
  type RecordKey,
} from '../settings.ts';
import { createChange, groupWrites, joinParts, type PlanPart, type PlanSource } from './part.ts';

interface SentItem extends Pick<PlannedWrite, 'operation' | 'shared'> {
  readonly item: PlannedItem;
}

export function planOrganizations(source: PlanSource): PlanPart {
  return planSent(source, 'organizations', (record, id) => {
    const item = { key: organizationKey(id), data: record, requires: [] };
    return [{ operation: 'organizations.add', shared: {}, item }];
  });
}

/** Order of operations: users are sent between groups and the users of groups. */
const ORDER: readonly PlannedWrite['operation'][] = [
  'groups.add',
  'users.add',
  'users.add.v2',
  'permissions.add',
  'users.update',
  'groups.add-users',
];

export function planGroupsAndUsers(source: PlanSource): PlanPart {
  const { users } = source.declared;
  const { writes, ...part } = joinParts([
    planSent(source, 'groups', itemsOfGroup),
    users && 'from' in users
      ? planUsersFile(users, source)
      : planSent(source, 'users', itemsOfUser),
  ]);
  return {
    ...part,
    writes: writes.toSorted((a, b) => ORDER.indexOf(a.operation) - ORDER.indexOf(b.operation)),
  };
}

function planSent(
  { declared, isSent }: PlanSource,
  kind: 'organizations' | 'groups' | 'users',
  itemsOf: (record: DeclaredRecord, org: string, id: string) => readonly SentItem[],
): PlanPart {
  const changes: Change[] = [];
  const unsent: SentItem[] = [];
  for (const record of (declared[kind] ?? []) as readonly DeclaredRecord[]) {
    const [org, id] = [
      String(record['organizationId']),
      String(record[RECORD_KINDS[kind].identity.at(-1) ?? '']),
    ];
    const items = itemsOf(record, org, id).filter(
      ({ item, ...write }) => !isSent(toSentRecord(write, item)),
    );
    if (items.length > 0)
      changes.push(createChange({ sign: '>', kind, org, id, after: record, value: record }));
    unsent.push(...items);
  }
  const byOperation = Map.groupBy(unsent, ({ operation }) => operation);
  return {
    changes,
    writes: [...byOperation].flatMap(([operation, items]) => groupWrites(operation, items)),
    read: [],
  };
}

function itemsOfGroup(
  { organizationId: _org, userIds, ...data }: DeclaredRecord,
  org: string,
  id: string,
) {
  const key = createRecordKey('groups', org, id);
  const group = { key, data, requires: [organizationKey(org)] };
  const users = (Array.isArray(userIds) ? userIds : []).map(
    (userId): SentItem => ({
      operation: 'groups.add-users',
      shared: { organizationId: org, organizationUserGroupId: id },
      item: {
        key: createRecordKey('groups', org, id, String(userId)),
        data: { userId },
        requires: [key, createRecordKey('users', org, String(userId))],
      },
    }),
  );
  return [
    { operation: 'groups.add', shared: { organizationId: org }, item: group } as const,
    ...users,
  ];
}

export interface Membership {
  readonly type: 'organization' | 'folder' | 'document';
  readonly id: string;
  readonly accessRole?: string;
  readonly expiresAt?: number;
}

/**
 * Plans a user and the access. No request gives more access than is declared, even if it is the
 * last one that is sent: the request that adds the user to an organization, folder, or document
 * contains the role. A user whose access always expires is granted it first, because a user cannot
 * be added with an expiry. A user without access to the whole organization is added to a folder or
 * document only.
 */
function itemsOfUser(record: DeclaredRecord, org: string, id: string): readonly SentItem[] {
  const { organizationId: _organization, accessRole: role, memberships, ...data } = record;
  const declared = (memberships ?? []) as readonly Membership[];
  const own: Membership = { type: 'organization', id: org, accessRole: String(role) };
  const access: readonly Membership[] =
    role === undefined || declared.length > 0 ? declared : [own];
  const key = createRecordKey('users', org, id);
  const isAddedToOrganization = access.length === 0;
  const lasting = access.filter(({ expiresAt }) => expiresAt === undefined);
  const first = lasting.find(({ type }) => type === 'organization') ?? lasting[0];
  const granted = access.filter((resource) => resource !== first);
  const grant = (itemKey: RecordKey, requires: readonly RecordKey[]): SentItem => ({
    operation: 'permissions.add',
    shared: {},
    item: {
      key: itemKey,
      data: {
        user: { userId: id },
        permissions: { resources: granted.map((resource) => toResource(resource, org)) },
      },
      requires: [...requires, ...access.map((resource) => resourceKey(org, resource))],
    },
  });
  if (first || isAddedToOrganization) {
    const user = addUser(first, { org, key, data });
    if (granted.length === 0) return [user];
    return [user, grant(createRecordKey('users', org, id, 'permissions'), [key])];
  }
  if (Object.keys(data).length === 1) return [grant(key, [organizationKey(org)])];
  const permissions = createRecordKey('users', org, id, 'permissions');
  return [
    grant(permissions, [organizationKey(org)]),
    {
      operation: 'users.update',
      shared: { organizationId: org },
      item: { key, data, requires: [permissions] },
    },
  ];
}

/** Adds a user to a resource, or to the organization, with the role of the membership. */
function addUser(
  membership: Membership | undefined,
  { org, key, data }: { org: string; key: RecordKey; data: DeclaredRecord },
): SentItem {
  const { type = 'organization', id, accessRole } = membership ?? {};
  const shared = { organizationId: org, ...(type !== 'organization' && { [`${type}Id`]: id }) };
  const requires = [organizationKey(org), ...(membership ? [resourceKey(org, membership)] : [])];
  if (accessRole === undefined)
    return { operation: 'users.add', shared, item: { key, data, requires } };
  return {
    operation: 'users.add.v2',
    shared: { ...shared, createOrganization: true },
    item: { key, data: { ...data, accessRole }, requires },
  };
}

function toResource({ expiresAt, ...resource }: Membership, org: string) {
  return {
    ...resource,
    ...(expiresAt !== undefined && { expiresAt: toEpochSeconds(expiresAt) }),
    ...(resource.type !== 'organization' && { organizationId: org }),
  };
}

function organizationKey(id: string): RecordKey {
  return createRecordKey('organizations', id, id);
}

function resourceKey(org: string, { type, id }: Membership): RecordKey {
  return type === 'organization' ? organizationKey(id) : createRecordKey(`${type}s`, org, id);
}

function planUsersFile(
  { from: path, sha256 }: DeclaredUsersFile,
  { usersToSend = new Map(), usersOrganization }: PlanSource,
): PlanPart {
  const unsent = [...usersToSend].filter(([, records]) => records > 0);
  const records = unsent.reduce((sum, [, count]) => sum + count, 0);
  const defaults = usersOrganization === undefined ? {} : { organizationId: usersOrganization };
  const value: UsersFileValue = { from: path, sha256, ...defaults };
  const from = { path, records, ...defaults };
  return {
    changes: unsent.map(([org, after]) =>
      createChange({ sign: '>', kind: 'users', org, id: null, after, value }),
    ),
    writes: records > 0 ? [{ operation: 'users.add.v2', shared: {}, items: [], from }] : [],
    read: [],
  };
}
