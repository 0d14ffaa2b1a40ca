import * as z from 'zod';
import { defineOperation } from './define.ts';
import { flag, id, secret, withRules } from './fields.ts';
import { findExpiredAccess, resources } from './permissions.ts';

const userProperties = withRules(
  z
    .looseObject({
      name: z.string().min(1).describe('display name'),
      email: z.string().min(1).describe('email address'),
      isAdmin: flag('admin', z.boolean().optional().describe('make the user an administrator')),
    })
    .refine((properties) => !('organizationId' in properties), {
      error: 'belongs in permissions.resources, as an entry of type organization',
      path: ['organizationId'],
    }),
  { not: { required: ['organizationId'] } },
);

export const accessTokens = {
  'access-tokens.generate': defineOperation({
    command: ['access-tokens', 'generate'],
    summary: 'Generate an access token for a user, valid for 48 hours',
    examples: [
      {
        command:
          'svc access-tokens generate --user u1 --name Ada --email ada@example.com --resource type=organization,id=acme',
        caption: 'generate a token for an organization',
      },
    ],
    path: '/v2/auth/generate_token',
    auth: 'key',
    effect: 'read',
    input: z.object({ userId: id('user ID'), userProperties, permissions: z.object({ resources }) }),
    output: z.looseObject({ token: secret('signed token') }),
    message: 'Token generated successfully.',
    findPastValue: ({ permissions }, now) => findExpiredAccess(permissions, now),
    revealsSecrets: true,
    quietValue: ({ token }) => token,
    warnings: ({ permissions }) =>
      permissions.resources.length === 0 ? ['without --resource, the token grants no access'] : [],
  }),
};
