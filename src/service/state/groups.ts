import type { Insertable } from 'kysely';
import { serializeOtherFields } from '../records/other-fields.ts';
import { chunkRows } from '../store/chunks.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';
import { batchByOrganization, omitUnset, parseOtherFields, readByOrganization, type Section } from './section.ts';

interface OrganizationQuery {
  readonly organization: number;
}

const select = prepareQuery((database, { organization }: OrganizationQuery) =>
  database.selectFrom('userGroups').selectAll().where('organization', '=', organization).orderBy('groupId'),
);

const selectMembers = prepareQuery((database, { organization }: OrganizationQuery) =>
  database
    .selectFrom('userGroupMembers')
    .select(['groupId', 'userId'])
    .where('organization', '=', organization)
    .orderBy('userId'),
);

const upsert = prepareQuery((database, rows: readonly Insertable<Tables['userGroups']>[]) =>
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

const deleteMembers = prepareQuery(
  (database, { organization, groupIds }: OrganizationQuery & { readonly groupIds: readonly string[] }) =>
    database.deleteFrom('userGroupMembers').where('organization', '=', organization).where('groupId', 'in', groupIds),
);

const insertMembers = prepareQuery((database, rows: readonly Insertable<Tables['userGroupMembers']>[]) =>
  database
    .insertInto('userGroupMembers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

export const groups: Section<'groups'> = {
  read: (scope) =>
    readByOrganization(scope, selectWithMembers, (organizationId, { group, userIds }) => {
      const { groupId, groupName, otherFields: others } = group;
      return { organizationId, groupId, ...omitUnset({ groupName }), ...parseOtherFields(others), userIds };
    }),

  write: async (scope, records) => {
    const { database } = scope;
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const rows = batch.map(({ organizationId: _, groupId, groupName = null, userIds: __, ...others }) => ({
        organization,
        groupId,
        groupName,
        otherFields: serializeOtherFields(others),
      }));
      await upsert(database, rows);
      const withMembers = batch.filter(({ userIds }) => userIds !== undefined);
      if (withMembers.length > 0)
        await deleteMembers(database, { organization, groupIds: withMembers.map(({ groupId }) => groupId) });
      const members = withMembers.flatMap(({ groupId, userIds = [] }) =>
        userIds.map((userId) => ({ organization, groupId, userId })),
      );
      for (const memberRows of chunkRows(members)) await insertMembers(database, memberRows);
    }
  },
};

const selectWithMembers = async (...[database, query]: Parameters<typeof select>) => {
  const members = Map.groupBy(await selectMembers(database, query), ({ groupId }) => groupId);
  const groups = await select(database, query);
  return groups.map((group) => ({ group, userIds: (members.get(group.groupId) ?? []).map(({ userId }) => userId) }));
};
