import * as z from 'zod/mini';
import { isObject } from '../kernel/json.ts';
import { DEFAULT_ACCESS_ROLE } from './access-roles.ts';
import { defineOperation } from './define.ts';
import { flag, id, secret, withRules } from './fields.ts';
import { described } from './metadata.ts';
import { type AccessResource, findExpiredAccess, resources } from './permissions.ts';
import { SAMPLE_RESOURCE } from './sample-data.ts';

const userProperties = withRules(
  z
    .looseObject({
      name: described(z.string().check(z.minLength(1)), 'display name'),
      email: described(z.string().check(z.minLength(1)), 'email address'),
      isAdmin: flag('admin', described(z.optional(z.boolean()), 'make the user an administrator')),
    })
    .check(
      z.refine((properties) => !('organizationId' in properties), {
        error: 'belongs in permissions.resources, as an entry of type organization',
        path: ['organizationId'],
      }),
    ),
  { not: { required: ['organizationId'] } },
);

export const ACCESS_TOKEN_SECONDS = 48 * 60 * 60;

function describeGrant(
  { type, id, organizationId, accessRole, expiresAt }: AccessResource,
  now: number,
): string {
  const role = accessRole ?? `${DEFAULT_ACCESS_ROLE} (the default role)`;
  const parent = type === 'organization' ? '' : ` of ${organizationId}`;
  const endsEarlier =
    expiresAt !== undefined && expiresAt * 1_000 < now + ACCESS_TOKEN_SECONDS * 1_000;
  const end = endsEarlier
    ? new Date(expiresAt * 1_000).toISOString()
    : 'the token expires in 48 hours';
  return `Granted ${role} on ${type} ${id}${parent} until ${end}`;
}

/**
 * Converts a request of the older operation: the name and the permissions are optional, and the
 * organization is a property of the user.
 */
function convertOlderRequest(data: unknown): unknown {
  if (!isObject(data)) return data;
  const { userId, userProperties = {}, permissions = {} } = data;
  if (!isObject(userProperties) || !isObject(permissions)) return data;
  const { organizationId, ...properties } = userProperties;
  const { resources: given = [] } = permissions;
  const organization = { type: 'organization', id: organizationId };
  return {
    userId,
    userProperties: { name: userId, ...properties },
    permissions: {
      ...permissions,
      resources:
        organizationId === undefined || !Array.isArray(given) ? given : [organization, ...given],
    },
  };
}

export const accessTokens = {
  'access-tokens.generate': defineOperation('access-tokens.generate', {
    summary: 'Generate an access token for a user, valid for 48 hours',
    path: '/v2/auth/generate_token',
    aliases: [{ path: '/v2/auth/token/get', convert: convertOlderRequest }],
    effect: 'read',
    input: z.object({
      userId: id('user ID'),
      userProperties,
      permissions: z.object({ resources }),
    }),
    output: z.looseObject({ token: secret('signed token') }),
    message: 'Token generated successfully.',
    findPastValue: ({ permissions }, now) => findExpiredAccess(permissions.resources, now),
    issuesCredential: true,
    revealsSecrets: true,
    quietValue: ({ token }) => token,
    notes: ({ permissions }, now) =>
      permissions.resources.map((resource) => describeGrant(resource, now)),
    warnings: ({ permissions }) =>
      permissions.resources.length === 0 ? ['without --resource, the token grants no access'] : [],
    decision: 'an access token is a JWT that is valid for 48 hours',
    settings: 'read',
    sample: () => ({
      userId: 'u1',
      userProperties: { name: 'Ada', email: 'ada@example.com', isAdmin: false },
      permissions: { resources: [SAMPLE_RESOURCE] },
    }),
  }),
};
