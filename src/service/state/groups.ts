import type { Insertable } from 'kysely';
import { otherFields } from '../records/other-fields.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';
import { batchesByOrganization, present, readEach, type Section, storedFields } from './section.ts';

interface Owner {
  readonly organization: number;
}

const select = prepared((database, { organization }: Owner) =>
  database.selectFrom('userGroups').selectAll().where('organization', '=', organization).orderBy('groupId'),
);

const selectMembers = prepared((database, { organization }: Owner) =>
  database
    .selectFrom('userGroupMembers')
    .select(['groupId', 'userId'])
    .where('organization', '=', organization)
    .orderBy('userId'),
);

const upsert = prepared((database, rows: readonly Insertable<Tables['userGroups']>[]) =>
  database
    .insertInto('userGroups')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'groupId']).doUpdateSet(({ fn, ref }) => ({
        groupName: fn.coalesce(ref('excluded.groupName'), ref('userGroups.groupName')),
        otherFields: fn.coalesce(ref('excluded.otherFields'), ref('userGroups.otherFields')),
      })),
    ),
);

const deleteMembers = prepared(
  (database, { organization, groupIds }: Owner & { readonly groupIds: readonly string[] }) =>
    database.deleteFrom('userGroupMembers').where('organization', '=', organization).where('groupId', 'in', groupIds),
);

const insertMembers = prepared((database, rows: readonly Insertable<Tables['userGroupMembers']>[]) =>
  database
    .insertInto('userGroupMembers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

export const groups: Section<'groups'> = {
  read: (scope) =>
    readEach(scope, selectWithMembers, (organizationId, { group, userIds }) => {
      const { groupId, groupName, otherFields: others } = group;
      return { organizationId, groupId, ...present({ groupName }), ...storedFields(others), userIds };
    }),

  write: async (scope, records) => {
    const { database } = scope;
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      const rows = batch.map(({ organizationId: _, groupId, groupName = null, userIds: __, ...others }) => ({
        organization,
        groupId,
        groupName,
        otherFields: otherFields(others),
      }));
      await upsert(database, rows);
      const listed = batch.filter(({ userIds }) => userIds !== undefined);
      if (listed.length > 0)
        await deleteMembers(database, { organization, groupIds: listed.map(({ groupId }) => groupId) });
      const members = listed.flatMap(({ groupId, userIds = [] }) =>
        userIds.map((userId) => ({ organization, groupId, userId })),
      );
      for (const part of batchesOf(members)) await insertMembers(database, part);
    }
  },
};

const selectWithMembers = async (...[database, owner]: Parameters<typeof select>) => {
  const members = Map.groupBy(await selectMembers(database, owner), ({ groupId }) => groupId);
  const groups = await select(database, owner);
  return groups.map((group) => ({ group, userIds: (members.get(group.groupId) ?? []).map(({ userId }) => userId) }));
};
