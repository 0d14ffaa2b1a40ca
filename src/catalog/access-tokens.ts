import * as z from 'zod';
import { defineOperation } from './define.ts';
import { flag, id, secret, withRules } from './fields.ts';
import { endedAccess, resources } from './permissions.ts';

const userProperties = withRules(
  z
    .looseObject({
      name: z.string().min(1).describe('display name'),
      email: z.string().min(1).describe('e-mail address'),
      isAdmin: flag('admin', z.boolean().optional().describe('make the user an admin')),
    })
    .refine((properties) => !('organizationId' in properties), {
      error: 'goes into permissions.resources, as an entry of type organization',
      path: ['organizationId'],
    }),
  { not: { required: ['organizationId'] } },
);

export const accessTokens = {
  'access-tokens.generate': defineOperation({
    command: ['access-tokens', 'generate'],
    summary: 'Make an access token for a user, valid for 48 hours',
    examples: [
      {
        command:
          'svc access-tokens generate --user u1 --name Ada --email ada@example.com --resource type=organization,id=acme',
        does: 'a token for an organization',
      },
    ],
    path: '/v2/auth/generate_token',
    auth: 'key',
    effect: 'read',
    input: z.object({ userId: id('user id'), userProperties, permissions: z.object({ resources }) }),
    output: z.looseObject({ token: secret('signed token') }),
    message: 'Token generated successfully.',
    outdated: ({ permissions }, now) => endedAccess(permissions, now),
    revealsSecrets: true,
    bare: ({ token }) => token,
    warnings: ({ permissions }) =>
      permissions.resources.length === 0 ? ['without --resource the token gives access to nothing'] : [],
  }),
};
