import { alreadyExists, createItemResults } from '../records/item-results.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { generateId } from '../records/secrets.ts';
import { insertGroupMembers, insertGroups, requireGroup } from '../records/user-groups.ts';
import { selectUsers } from '../records/users.ts';
import { chunkRows, distinctBy } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

export const userGroups: HandlersOf<'user-groups'> = {
  'groups.add': lockingOnlyRows(
    async (call, { organizationId, organizationUserGroups: requested }) => {
      const organization = await ensureOrganization(call, organizationId);
      const data = createItemResults();
      const added = distinctBy(requested, ({ groupId }) => groupId);
      const rows = added.map(({ groupId, groupName, ...others }) => ({
        organization,
        groupId,
        groupName: groupName ?? null,
        otherFields: serializeOtherFields(others),
      }));
      for (const { groupId } of added) data[groupId] = alreadyExists('Organization user group');
      for (const { groupId } of await insertGroups(call.database, rows))
        data[groupId] = {
          success: true,
          id: generateId(),
          message: 'Organization user group added.',
        };
      return { data };
    },
  ),

  'groups.add-users': lockingOnlyRows(
    async (call, { organizationId, organizationUserGroupId, userIds: requested }) => {
      const { database } = call;
      const organization = await requireOrganization(call, organizationId);
      await requireGroup(database, organization, organizationUserGroupId);
      const data = createItemResults();
      for (const userIds of chunkRows([...new Set(requested)])) {
        for (const userId of userIds)
          data[userId] = {
            success: false,
            organizationUserGroupId,
            message: 'User does not exist.',
          };
        const existing = await selectUsers(database, { organization, userId: userIds });
        for (const { userId } of existing)
          data[userId] = {
            success: true,
            organizationUserGroupId,
            message: 'User added to organization user group.',
          };
        const rows = existing.map(({ userId }) => ({
          organization,
          groupId: organizationUserGroupId,
          userId,
        }));
        await insertGroupMembers(database, rows);
      }
      return { data };
    },
  ),
};
