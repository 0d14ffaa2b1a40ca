import type { Change, PlannedItem, PlannedWrite } from '../plan.ts';
import { createRecordKey, type RecordKey } from '../record-key.ts';
import { toSentRecord } from '../sent-record.ts';
import type { DeclaredRecord, Kind } from '../settings.ts';
import { groupWrites, type PlanPart, type PlanSource } from './part.ts';

interface SentItem {
  readonly operation: PlannedWrite['operation'];
  readonly shared: PlannedWrite['shared'];
  readonly item: PlannedItem;
}

/** Plans organizations. */
export function planOrganizations(source: PlanSource): PlanPart {
  const sent = new SentPlan(source, 'organizations');
  for (const record of source.declared.organizations ?? []) {
    const id = String(record['organizationId']);
    const item = { key: organizationKey(id), data: record, requires: [] };
    sent.add(record, id, id, [{ operation: 'organizations.add', shared: {}, item }]);
  }
  return sent.build();
}

/** Plans groups. Their users are a part of their own, because users are sent between both. */
export function planGroups(source: PlanSource): readonly [groups: PlanPart, groupUsers: PlanPart] {
  const sent = new SentPlan(source, 'groups');
  for (const record of source.declared.groups ?? []) {
    const { organizationId, userIds, ...data } = record;
    const [org, id] = [String(organizationId), String(record['groupId'])];
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
    sent.add(record, org, id, [{ operation: 'groups.add', shared: { organizationId: org }, item: group }, ...users]);
  }
  const { writes, ...part } = sent.build();
  const isGroup = ({ operation }: PlannedWrite) => operation === 'groups.add';
  return [
    { ...part, writes: writes.filter(isGroup) },
    { changes: [], writes: writes.filter((write) => !isGroup(write)), read: [] },
  ];
}

/** Plans users, and their access to folders and documents. */
export function planUsers(source: PlanSource): PlanPart {
  const { users = [] } = source.declared;
  if ('from' in users) return planUsersFile(users.from, source);
  const sent = new SentPlan(source, 'users');
  for (const record of users) {
    const [org, id] = [String(record['organizationId']), String(record['userId'])];
    sent.add(record, org, id, itemsOfUser(record, org, id));
  }
  return sent.build();
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
    .map((resource) => ({ ...resource, ...(resource.type !== 'organization' && { organizationId: org }) }));
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

function planUsersFile(path: string, { usersToSend = new Map(), usersOrganization }: PlanSource): PlanPart {
  const unsent = [...usersToSend].filter(([, records]) => records > 0);
  return {
    changes: unsent.map(([org, after]) => ({
      sign: '>',
      kind: 'users',
      org,
      id: null,
      field: null,
      before: null,
      after,
    })),
    writes: unsent.map(([organizationId, records]) => ({
      ...{ operation: 'users.add', shared: { organizationId }, items: [] },
      from: { path, records, ...(usersOrganization !== undefined && { organizationId: usersOrganization }) },
    })),
    read: [],
  };
}

/** Collects the items that the ledger does not know. */
class SentPlan {
  readonly #source: PlanSource;
  readonly #kind: Kind;
  readonly #changes: Change[] = [];
  readonly #items: SentItem[] = [];

  constructor(source: PlanSource, kind: Kind) {
    this.#source = source;
    this.#kind = kind;
  }

  /** Plans a record with the items that send it. */
  add(record: DeclaredRecord, org: string, id: string, items: readonly SentItem[]): void {
    const unsent = items.filter(({ item, ...write }) => !this.#source.isSent(toSentRecord(write, item)));
    if (unsent.length === 0) return;
    this.#changes.push({ sign: '>', kind: this.#kind, org, id, field: null, before: null, after: record });
    this.#items.push(...unsent);
  }

  build(): PlanPart {
    const byOperation = Map.groupBy(this.#items, ({ operation }) => operation);
    const writes = [...byOperation].flatMap(([operation, items]) => groupWrites(operation, items));
    return { changes: this.#changes, writes, read: [] };
  }
}
