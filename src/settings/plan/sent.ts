import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
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
  'permissions.add',
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

interface Membership {
  readonly type: 'organization' | 'folder' | 'document';
  readonly id: string;
}

/** A user without access to the whole organization is added to a folder or document only. */
function itemsOfUser(record: DeclaredRecord, org: string, id: string): readonly SentItem[] {
  const { organizationId: _organization, memberships = [], ...data } = record;
  const access = memberships as readonly Membership[];
  const first = access.some(({ type }) => type === 'organization') ? undefined : access[0];
  const key = createRecordKey('users', org, id);
  const requires = [organizationKey(org), ...(first ? [resourceKey(org, first)] : [])];
  const shared = { organizationId: org, ...(first && { [`${first.type}Id`]: first.id }) };
  const user: SentItem = { operation: 'users.add', shared, item: { key, data, requires } };
  const resources = access
    .filter(({ type, id: _id, ...rest }) => type !== 'organization' || Object.keys(rest).length > 0)
    .map((resource) => ({
      ...resource,
      ...(resource.type !== 'organization' && { organizationId: org }),
    }));
  if (resources.length === 0) return [user];
  const permissions = {
    key: createRecordKey('users', org, id, 'permissions'),
    data: { user: { userId: id }, permissions: { resources } },
    requires: [key, ...access.map((resource) => resourceKey(org, resource))],
  };
  return [user, { operation: 'permissions.add', shared: {}, item: permissions }];
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
    writes: records > 0 ? [{ operation: 'users.add', shared: {}, items: [], from }] : [],
    read: [],
  };
}
