import type { State } from '../../catalog/state.ts';
import { upsertMembers } from '../records/members.ts';
import { selectUsers, upsertUsers, userRow } from '../records/users.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { MemberLevel } from '../store/tables.ts';
import { batchesByOrganization, present, readEach, type Scope, type Section, storedFields } from './section.ts';

type User = State['users'][number];

interface Owner {
  readonly organization: number;
}

const select = prepared((database, { organization }: Owner) =>
  database
    .selectFrom('users')
    .select(['userId', 'name', 'email', 'initial', 'otherFields'])
    .where('organization', '=', organization)
    .orderBy('userId'),
);

/** Those of the organization first, then those of folders and of documents. */
const selectMembers = prepared((database, { organization }: Owner) =>
  database
    .selectFrom('members')
    .select(['userId', 'level', 'resourceId', 'accessRole', 'expiresAt'])
    .where('organization', '=', organization)
    .orderBy('level', 'desc')
    .orderBy('resourceId'),
);

const deleteMembers = prepared((database, { organization, userIds }: Owner & { readonly userIds: readonly string[] }) =>
  database.deleteFrom('members').where('organization', '=', organization).where('userId', 'in', userIds),
);

export const users: Section<'users'> = {
  read: (scope) =>
    readEach(scope, selectWithMembers, (organizationId, { user, members }) => {
      const { userId, name, email, initial, otherFields } = user;
      const memberships = members.map((member) => membershipOf(organizationId, member));
      return {
        organizationId,
        userId,
        ...present({ name, email, initial }),
        ...storedFields(otherFields),
        memberships,
      };
    }),

  write: async (scope, records) => {
    const { database } = scope;
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      const known = await selectUsers(database, { organization, userIds: batch.map(({ userId }) => userId) });
      const knownIds = new Set(known.map(({ userId }) => userId));
      await upsertUsers(
        database,
        batch.map(({ organizationId: _, memberships: __, ...user }) => userRow(organization, user)),
      );
      const listed = batch.filter(({ memberships }) => memberships !== undefined).map(({ userId }) => userId);
      if (listed.length > 0) await deleteMembers(database, { organization, userIds: listed });
      const members = batch.flatMap((user) => memberRows(scope, organization, user, knownIds.has(user.userId)));
      for (const part of batchesOf(members)) await upsertMembers(database, part);
    }
  },
};

const selectWithMembers = async (...[database, owner]: Parameters<typeof select>) => {
  const members = Map.groupBy(await selectMembers(database, owner), ({ userId }) => userId);
  const found = await select(database, owner);
  return found.map((user) => ({ user, members: members.get(user.userId) ?? [] }));
};

type Membership = NonNullable<User['memberships']>[number];
type Member = Awaited<ReturnType<typeof selectMembers>>[number];

function membershipOf(organizationId: string, { level, resourceId, accessRole, expiresAt }: Member): Membership {
  return {
    type: level,
    id: level === 'organization' ? organizationId : resourceId,
    ...present({ accessRole: accessRole as Membership['accessRole'], expiresAt }),
  };
}

/** Where a record says that a user has access. One that is silent adds a new user to the organization. */
function memberRows({ now }: Scope, organization: number, user: User, isKnown: boolean) {
  const { organizationId, userId } = user;
  const newcomers: readonly Membership[] = isKnown ? [] : [{ type: 'organization', id: organizationId }];
  return (user.memberships ?? newcomers).map(({ type, id, accessRole, expiresAt }) => ({
    organization,
    level: type satisfies MemberLevel,
    resourceId: type === 'organization' ? '' : id,
    userId,
    accessRole: accessRole ?? null,
    expiresAt: expiresAt ?? null,
    addedAt: now,
  }));
}
