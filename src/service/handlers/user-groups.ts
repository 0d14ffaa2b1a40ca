import { alreadyExists, itemResults } from '../records/item-results.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { otherFields } from '../records/other-fields.ts';
import { insertGroupMembers, insertGroups, requireGroup } from '../records/user-groups.ts';
import { selectUsers } from '../records/users.ts';
import { distinctBatchesOf } from '../store/batches.ts';
import type { HandlersOf } from './handler.ts';

export const userGroups: HandlersOf<'user-groups'> = {
  'groups.add': async (call, { organizationId, organizationUserGroups: given }) => {
    const organization = await ensureOrganization(call, organizationId);
    const data = itemResults();
    for (const batch of distinctBatchesOf(given, ({ groupId }) => groupId)) {
      const rows = batch.map(({ groupId, groupName, ...others }) => ({
        organization,
        groupId,
        groupName: groupName ?? null,
        otherFields: otherFields(others),
      }));
      for (const { groupId } of batch) data[groupId] = alreadyExists('Organization user group');
      for (const { groupId } of await insertGroups(call.database, rows)) {
        data[groupId] = { success: true, id: groupId, message: 'Organization user group added.' };
      }
    }
    return { data };
  },

  'groups.add-users': async (call, { organizationId, organizationUserGroupId, userIds: given }) => {
    const { database } = call;
    const organization = await requireOrganization(call, organizationId);
    await requireGroup(database, organization, organizationUserGroupId);
    const data = itemResults();
    for (const userIds of distinctBatchesOf(given, (userId) => userId)) {
      for (const userId of userIds) {
        data[userId] = { success: false, organizationUserGroupId, message: 'User does not exist.' };
      }
      const known = await selectUsers(database, { organization, userIds });
      for (const { userId } of known) {
        data[userId] = {
          success: true,
          organizationUserGroupId,
          message: 'User added to organization user group.',
        };
      }
      const rows = known.map(({ userId }) => ({ organization, groupId: organizationUserGroupId, userId }));
      if (rows.length > 0) await insertGroupMembers(database, rows);
    }
    return { data };
  },
};
