import * as z from 'zod';
import { defineOperation } from './define.ts';
import { id, secret } from './fields.ts';

export const authToken = z.looseObject({ token: secret('auth token'), name: z.string(), domains: z.array(z.string()) });

export const authTokens = {
  'auth-tokens.reset': defineOperation({
    command: ['auth-tokens', 'reset'],
    summary: "Replace an API key's auth token with a new one",
    description: 'The old token stops working at once. The new one is printed once: store it.',
    examples: [
      { command: 'svc auth-tokens reset --api-key K --yes -q', does: 'print the bare new token, for scripts' },
    ],
    path: '/v2/workspace/authtoken/reset',
    auth: 'workspace',
    effect: 'once',
    input: z.object({ apiKey: id('id of the API key whose token is replaced') }),
    // The token must not be lost for want of what stands beside it.
    output: z.looseObject({
      apiKey: z.string().optional(),
      newAuthToken: authToken.partial({ name: true, domains: true }),
    }),
    message: 'Auth token reset successfully.',
    lookup: { operation: 'auth-tokens.list', by: { apiKey: 'apiKey' } },
    confirm: ({ apiKey }) => `Replace the auth token of API key ${apiKey}? The old token stops working at once.`,
    revealsSecrets: true,
    bare: ({ newAuthToken }) => newAuthToken.token,
  }),
  'auth-tokens.list': defineOperation({
    command: ['auth-tokens', 'list'],
    summary: 'List the auth tokens of an API key, masked',
    examples: [{ command: 'svc auth-tokens list --api-key K', does: 'their names and domains' }],
    path: '/v2/workspace/authtokens/get',
    auth: 'workspace',
    effect: 'read',
    input: z.object({ apiKey: id('id of the API key') }),
    output: z.looseObject({ apiKey: z.string(), authTokens: z.array(authToken) }),
    message: 'Auth tokens retrieved successfully.',
    records: 'authTokens',
    columns: [
      { header: 'NAME', field: 'name' },
      { header: 'TOKEN', field: 'token' },
      { header: 'DOMAINS', field: 'domains' },
    ],
  }),
};
