import { sql } from 'kysely';
import type { State } from '../../catalog/state.ts';
import { isInMilliseconds, toEpochSeconds, toExpiry } from '../../kernel/timestamp.ts';
import { upsertMembers } from '../records/members.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { addUserData, insertParticipants, toUserDataItem } from '../records/user-data.ts';
import { insertGroupMembers } from '../records/user-groups.ts';
import { selectUsers, toUserRow, upsertUsers } from '../records/users.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareDelete, prepareSelect, prepareUpsert } from '../store/statements.ts';
import {
  type MemberLevel,
  type Tables,
  USER_DATA_FEATURES,
  type UserDataFeature,
} from '../store/tables.ts';
import {
  batchByOrganization,
  type OrganizationQuery,
  omitUnset,
  parseOtherFields,
  readByOrganization,
  type Section,
  type StateScope,
} from './section.ts';

type User = State['users'][number];
const selectNames = prepareSelect(
  'users',
  ['userId', 'name', 'email', 'initial', 'otherFields'],
  ['userId'],
);

/** Selects memberships in the organization, then in folders, then in documents. */
const selectMembers = prepareQuery(
  (_, { organization }: OrganizationQuery) => sql<
    Omit<Tables['members'], 'organization' | 'addedAt'>
  >`
    select "userId", level, "resourceId", "accessRole", "expiresAt" from members
    where organization = ${organization} order by level desc, "resourceId"`,
);

const deleteMembers = prepareDelete('members');

export const users: Section<'users'> = {
  read: (scope) =>
    readByOrganization(scope, selectUsersWithMembers, (organizationId, { user, members }) => {
      const { userId, name, email, initial, otherFields } = user;
      const memberships = members.map((member) => membershipOf(organizationId, member));
      return {
        organizationId,
        userId,
        ...omitUnset({ name, email, initial }),
        ...parseOtherFields(otherFields),
        memberships,
      };
    }),

  write: async (scope, records) => {
    const { database } = scope;
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const existing = await selectUsers(database, {
        organization,
        userId: batch.map(({ userId }) => userId),
      });
      const existingIds = new Set(existing.map(({ userId }) => userId));
      await upsertUsers(
        database,
        batch.map(({ organizationId: _, accessRole: __, memberships: ___, ...user }) =>
          toUserRow(organization, user),
        ),
      );
      const withMemberships = batch
        .filter(({ memberships }) => memberships !== undefined)
        .map(({ userId }) => userId);
      if (withMemberships.length > 0)
        await deleteMembers(database, { organization, userId: withMemberships });
      const members = batch.flatMap((user) =>
        memberRows(scope, organization, user, existingIds.has(user.userId)),
      );
      await upsertMembers(database, members);
    }
  },
};

const selectUsersWithMembers = async (...[database, query]: Parameters<typeof selectMembers>) => {
  const members = Map.groupBy(await selectMembers(database, query), ({ userId }) => userId);
  const found = await selectNames(database, query);
  return found.map((user) => ({ user, members: members.get(user.userId) ?? [] }));
};

type Membership = NonNullable<User['memberships']>[number];
type Member = Awaited<ReturnType<typeof selectMembers>>[number];

function membershipOf(
  organizationId: string,
  { level, resourceId, accessRole, expiresAt }: Member,
): Membership {
  return {
    type: level,
    id: level === 'organization' ? organizationId : resourceId,
    ...omitUnset({
      accessRole: accessRole as Membership['accessRole'],
      expiresAt: expiresAt === null ? null : toExportedExpiry(expiresAt),
    }),
  };
}

/** Converts a stored expiry to seconds, unless an import would take them for milliseconds. */
function toExportedExpiry(milliseconds: number): number {
  const seconds = milliseconds / 1000;
  return isInMilliseconds(seconds) ? milliseconds : seconds;
}

/**
 * Creates the rows for a user's memberships. A new user without `memberships`, and one with an
 * `accessRole` of its own, becomes a member of the organization.
 */
function memberRows({ now }: StateScope, organization: number, user: User, isExisting: boolean) {
  const { organizationId, userId, accessRole: role } = user;
  const defaults: readonly Membership[] =
    isExisting && role === undefined
      ? []
      : [{ type: 'organization', id: organizationId, accessRole: role }];
  return (user.memberships ?? defaults).map(({ type, id, accessRole, expiresAt }) => ({
    organization,
    level: type satisfies MemberLevel,
    resourceId: type === 'organization' ? '' : id,
    userId,
    accessRole: accessRole ?? null,
    expiresAt: expiresAt === undefined ? null : toExpiry(toEpochSeconds(expiresAt)),
    addedAt: now,
  }));
}

const selectGroups = prepareSelect(
  'userGroups',
  ['groupId', 'groupName', 'otherFields'],
  ['groupId'],
);
const selectGroupMembers = prepareSelect('userGroupMembers', ['groupId', 'userId'], ['userId']);
const upsertGroups = prepareUpsert('userGroups', ['organization', 'groupId'], {
  merged: ['groupName', 'otherFields'],
});
const deleteGroupMembers = prepareDelete('userGroupMembers');

export const groups: Section<'groups'> = {
  read: (scope) =>
    readByOrganization(scope, selectGroupsWithMembers, (organizationId, { group, userIds }) => {
      const { groupId, groupName, otherFields: others } = group;
      return {
        organizationId,
        groupId,
        ...omitUnset({ groupName }),
        ...parseOtherFields(others),
        userIds,
      };
    }),

  write: async (scope, records) => {
    const { database } = scope;
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const rows = batch.map(
        ({ organizationId: _, groupId, groupName = null, userIds: __, ...others }) => ({
          organization,
          groupId,
          groupName,
          otherFields: serializeOtherFields(others),
        }),
      );
      await upsertGroups(database, rows);
      const withMembers = batch.filter(({ userIds }) => userIds !== undefined);
      if (withMembers.length > 0)
        await deleteGroupMembers(database, {
          organization,
          groupId: withMembers.map(({ groupId }) => groupId),
        });
      const members = withMembers.flatMap(({ groupId, userIds = [] }) =>
        userIds.map((userId) => ({ organization, groupId, userId })),
      );
      await insertGroupMembers(database, members);
    }
  },
};

const selectGroupsWithMembers = async (...[database, query]: Parameters<typeof selectGroups>) => {
  const members = Map.groupBy(await selectGroupMembers(database, query), ({ groupId }) => groupId);
  const groups = await selectGroups(database, query);
  return groups.map((group) => ({
    group,
    userIds: (members.get(group.groupId) ?? []).map(({ userId }) => userId),
  }));
};

type ParticipantItem = Pick<Tables['userData'], 'feature' | 'documentId' | 'data'> & {
  readonly userId: string;
};

const selectItems = prepareQuery(
  (_, { organization }: OrganizationQuery) => sql<ParticipantItem>`
    select "userId", "userData".feature, "documentId", data from participants join "userData" on "userData".key = item
    where participants.organization = ${organization} order by "userId", "userData".key`,
);

const deleteParticipation = prepareDelete('participants');

const deleteOrphanedItems = prepareQuery(
  (_, { organization }: OrganizationQuery) =>
    sql`delete from "userData" where organization = ${organization} and key not in (select item from participants)`,
);

/** Lists of items by user. An item with several participants is in the lists of each of them. */
export const userData: Section<'userData'> = {
  read: (scope) =>
    readByOrganization(scope, selectByUser, (organizationId, { userId, rows }) => {
      const lists = Map.groupBy(rows, ({ feature }) => feature);
      const listOf = (feature: UserDataFeature) => (lists.get(feature) ?? []).map(toUserDataItem);
      return {
        organizationId,
        userId,
        ...Object.fromEntries(USER_DATA_FEATURES.map((feature) => [feature, listOf(feature)])),
      };
    }),

  write: async (scope, records) => {
    const changed = new Set<number>();
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      changed.add(organization);
      for (const record of batch) await writeLists(scope, organization, record);
    }
    for (const organization of changed) await deleteOrphanedItems(scope.database, { organization });
  },
};

const selectByUser = async (...[database, query]: Parameters<typeof selectItems>) => {
  const byUser = Map.groupBy(await selectItems(database, query), ({ userId }) => userId);
  return [...byUser].map(([userId, rows]) => ({ userId, rows }));
};

async function writeLists(
  { database }: StateScope,
  organization: number,
  record: State['userData'][number],
): Promise<void> {
  const { userId } = record;
  for (const feature of USER_DATA_FEATURES) {
    const items = record[feature];
    if (!items) continue;
    await deleteParticipation(database, { organization, userId, feature });
    const participants = [];
    for (const data of items) {
      const item = await addUserData(database, organization, feature, data);
      participants.push({ organization, userId, feature, item });
    }
    await insertParticipants(database, participants);
  }
}
