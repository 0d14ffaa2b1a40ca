import { sql } from 'kysely';
import type { State } from '../../catalog/state.ts';
import { isInMilliseconds, toEpochSeconds, toExpiry } from '../../kernel/timestamp.ts';
import { upsertMembers } from '../records/members.ts';
import { selectUsers, toUserRow, upsertUsers } from '../records/users.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareDelete, prepareSelect } from '../store/statements.ts';
import type { MemberLevel, Tables } from '../store/tables.ts';
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
