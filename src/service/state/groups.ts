import { serializeOtherFields } from '../records/other-fields.ts';
import { insertGroupMembers } from '../records/user-groups.ts';
import { prepareDelete, prepareSelect, prepareUpsert } from '../store/statements.ts';
import {
  batchByOrganization,
  omitUnset,
  parseOtherFields,
  readByOrganization,
  type Section,
} from './section.ts';

const selectGroups = prepareSelect('userGroups', ['groupId', 'groupName', 'otherFields'], ['groupId']);
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
