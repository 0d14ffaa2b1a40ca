import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { createsOrganization, flag, id, itemResults, organizationId, records } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_ORG } from './sample-data.ts';

export const userGroups = {
  'groups.add': defineOperation('groups.add', {
    summary: 'Add user groups to an organization',
    createsParents: createsOrganization,
    path: '/v2/organizations/usergroups/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      organizationUserGroups: records({
        groupId: id('group ID'),
        groupName: flag('name', described(z.optional(z.string()), 'group name')),
      }),
    }),
    output: itemResults,
    message: 'Organization User Groups added successfully.',
    bulk: { field: 'organizationUserGroups', id: 'groupId', noun: 'group', ifExists: {} },
    decision: 'a group that exists fails alone; the organization is created',
    isDocumented: false,
    settings: { writes: 'groups' },
    sample: () => ({
      ...SAMPLE_ORG,
      organizationUserGroups: [{ groupId: 'sales', groupName: 'Sales' }],
    }),
  }),
  'groups.add-users': defineOperation('groups.add-users', {
    summary: 'Add users of an organization to a group',
    examples: {
      'svc groups add-users --org acme --group legal --file users.csv': 'add all users in a file',
    },
    path: '/v2/organizations/usergroups/users/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      organizationUserGroupId: id('group ID'),
      userIds: described(z.array(id('user ID')).check(z.minLength(1)), 'user ID'),
    }),
    output: itemResults,
    message: 'Added organization users to group successfully.',
    bulk: { field: 'userIds', id: 'userId', noun: 'user', bareIds: true },
    decision: 'an unknown group is INVALID_ARGUMENT; an unknown user fails alone',
    settings: { writes: 'groups' },
    sample: () => ({ ...SAMPLE_ORG, organizationUserGroupId: 'legal', userIds: ['u1'] }),
  }),
};
