import { alreadyExists, createItemResults } from '../records/item-results.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { insertGroupMembers, insertGroups, requireGroup } from '../records/user-groups.ts';
import { selectUsers } from '../records/users.ts';
import { chunkDistinctRows } from '../store/statements.ts';
import type { HandlersOf } from './handler.ts';

export const userGroups: HandlersOf<'user-groups'> = {
  'groups.add': async (call, { organizationId, organizationUserGroups: requested }) => {
    const organization = await ensureOrganization(call, organizationId);
    const data = createItemResults();
    for (const batch of chunkDistinctRows(requested, ({ groupId }) => groupId)) {
      const rows = batch.map(({ groupId, groupName, ...others }) => ({
        organization,
        groupId,
        groupName: groupName ?? null,
        otherFields: serializeOtherFields(others),
      }));
      for (const { groupId } of batch) data[groupId] = alreadyExists('Organization user group');
      for (const { groupId } of await insertGroups(call.database, rows))
        data[groupId] = { success: true, id: groupId, message: 'Organization user group added.' };
    }
    return { data };
  },

  'groups.add-users': async (call, { organizationId, organizationUserGroupId, userIds: requested }) => {
    const { database } = call;
    const organization = await requireOrganization(call, organizationId);
    await requireGroup(database, organization, organizationUserGroupId);
    const data = createItemResults();
    for (const userIds of chunkDistinctRows(requested, (userId) => userId)) {
      for (const userId of userIds) data[userId] = { success: false, organizationUserGroupId, message: 'User does not exist.' };
      const existing = await selectUsers(database, { organization, userId: userIds });
      for (const { userId } of existing)
        data[userId] = { success: true, organizationUserGroupId, message: 'User added to organization user group.' };
      const rows = existing.map(({ userId }) => ({ organization, groupId: organizationUserGroupId, userId }));
      if (rows.length > 0) await insertGroupMembers(database, rows);
    }
    return { data };
  },
};
