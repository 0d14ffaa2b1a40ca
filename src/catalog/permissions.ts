import * as z from 'zod/mini';
import { defineOperation, type InputProblem, type Parent } from './define.ts';
import { accessRole, flag, id, withRules } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_RESOURCE } from './sample-data.ts';

export const accessResource = withRules(
  z
    .looseObject({
      type: described(z.enum(['organization', 'document', 'folder']), 'kind of resource'),
      id: id('resource ID'),
      organizationId: z.optional(id('organization ID of the document or folder')),
      accessRole: flag('role', z.optional(accessRole)),
      expiresAt: flag(
        { flag: 'expires', as: 'time' },
        z.optional(described(z.number(), 'expiration time')),
      ),
    })
    .check(
      z.refine(
        ({ type, organizationId }) => type === 'organization' || organizationId !== undefined,
        {
          error: 'required for a document or folder',
          path: ['organizationId'],
        },
      ),
    ),
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

export type AccessResource = z.output<typeof accessResource>;

export const resources = flag(
  { flag: 'resource', as: 'entries' },
  described(
    z.array(accessResource),
    'resource to grant access to: type=document,id=d1,org=acme,role=viewer,expires=48h',
  ),
);

export function findExpiredAccess(
  entries: readonly AccessResource[],
  now: number,
): InputProblem | undefined {
  const at = entries.findIndex(
    ({ expiresAt }) => expiresAt !== undefined && expiresAt * 1000 <= now,
  );
  if (at < 0) return undefined;
  return { path: ['permissions', 'resources', at, 'expiresAt'], message: 'is in the past' };
}

const input = z.object({
  user: z.looseObject({ userId: id('user ID') }),
  permissions: z.object({ resources }),
});

/** Returns the organization of each resource, and the user as a member of it. */
function parentsOf({
  user,
  permissions: { resources: entries },
}: z.output<typeof input>): readonly Parent[] {
  const organizations = new Set(
    entries.map(({ type, id: own, organizationId = own }) =>
      type === 'organization' ? own : organizationId,
    ),
  );
  return [...organizations].flatMap((organizationId) => [
    { kind: 'organization', id: organizationId, organizationId },
    { kind: 'user', id: user.userId, organizationId },
  ]);
}

export const permissions = {
  'permissions.add': defineOperation('permissions.add', {
    summary: 'Grant a user access to resources',
    path: '/v2/auth/permissions/add',
    effect: 'keyed',
    input,
    output: z.unknown(),
    message: 'Permissions added successfully.',
    createsParents: { kinds: ['organization', 'user'], of: parentsOf },
    findPastValue: ({ permissions }, now) => findExpiredAccess(permissions.resources, now),
    decision: 'expiresAt is in seconds, and must be in the future',
    isDocumented: false,
    settings: { writes: 'users' },
    sample: () => ({ user: { userId: 'u1' }, permissions: { resources: [SAMPLE_RESOURCE] } }),
  }),
};
