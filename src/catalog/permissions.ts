import * as z from 'zod';
import { defineOperation, type Finding } from './define.ts';
import { accessRole, flag, id, withRules } from './fields.ts';

/** Access of one user to one organization, folder or document. */
export const accessResource = withRules(
  z
    .looseObject({
      type: z.enum(['organization', 'document', 'folder']).describe('kind of resource'),
      id: id('id of the resource'),
      organizationId: id('organization of the document or folder').optional(),
      accessRole: flag('role', accessRole.optional()),
      expiresAt: flag({ flag: 'expires', as: 'time' }, z.number().describe('when the access ends').optional()),
    })
    .refine(({ type, organizationId }) => type === 'organization' || organizationId !== undefined, {
      error: 'a document or folder needs its organizationId',
      path: ['organizationId'],
    }),
  {
    oneOf: [
      { properties: { type: { const: 'organization' } } },
      {
        properties: { type: { enum: ['document', 'folder'] }, organizationId: { type: 'string' } },
        required: ['organizationId'],
      },
    ],
  },
);

export const resources = flag(
  { flag: 'resource', as: 'entries' },
  z.array(accessResource).describe('type=document,id=d1,org=acme,role=viewer,expires=48h'),
);

/** The first access that has ended already. */
export function endedAccess(
  { resources: entries }: { readonly resources: readonly z.output<typeof accessResource>[] },
  now: number,
): Finding | undefined {
  const at = entries.findIndex(({ expiresAt }) => expiresAt !== undefined && expiresAt * 1000 <= now);
  if (at < 0) return undefined;
  return { path: ['permissions', 'resources', at, 'expiresAt'], message: 'lies in the past' };
}

export const permissions = {
  'permissions.add': defineOperation({
    command: ['permissions', 'add'],
    summary: 'Give a user access to resources',
    examples: [
      {
        command: 'svc permissions add --user u1 --resource type=document,id=d1,org=acme,role=viewer',
        does: 'let a user read a document',
      },
    ],
    path: '/v2/auth/permissions/add',
    auth: 'key',
    effect: 'keyed',
    input: z.object({
      user: z.looseObject({ userId: id('user id') }),
      permissions: z.object({ resources }),
    }),
    output: z.unknown(),
    message: 'Permissions added successfully.',
    outdated: (input, now) => endedAccess(input.permissions, now),
  }),
};
