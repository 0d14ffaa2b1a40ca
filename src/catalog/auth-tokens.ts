import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { id, secret } from './fields.ts';

export const authToken = z.looseObject({
  token: secret('auth token'),
  name: z.string(),
  domains: z.array(z.string()),
});

export const authTokens = {
  'auth-tokens.reset': defineOperation('auth-tokens.reset', {
    summary: "Replace an API key's auth token with a new one",
    description:
      'The old token stops working immediately. The new token is shown only once, so store it. It is printed on stdout ' +
      'unless you pass it to a command or a file.',
    examples: {
      'svc auth-tokens reset --api-key K --yes -q': 'print only the new token, for scripts',
      'svc auth-tokens reset --api-key K --yes --output-file new-token.txt':
        'write the new token to a private file',
    },
    path: '/v2/workspace/authtoken/reset',
    auth: 'workspace',
    effect: 'once',
    input: z.object({ apiKey: id('ID of the API key') }),
    // The other fields are optional, so that an incomplete response does not lose the token.
    output: z.looseObject({
      apiKey: z.optional(z.string()),
      newAuthToken: z.partial(authToken, { name: true, domains: true }),
    }),
    message: 'Auth token reset successfully.',
    lookup: { operation: 'auth-tokens.list', inputFields: { apiKey: 'apiKey' } },
    confirm: ({ apiKey }) =>
      `Replace the auth token of API key ${apiKey}? The old token stops working immediately.`,
    revealsSecrets: true,
    quietValue: ({ newAuthToken }) => newAuthToken.token,
    decision: 'a token reset invalidates the old token at once',
    settings: { notSettings: 'credentials are never part of a settings file' },
    sample: ({ apiKey }) => ({ apiKey }),
  }),
  'auth-tokens.list': defineOperation('auth-tokens.list', {
    summary: 'List the auth tokens of an API key, masked',
    path: '/v2/workspace/authtokens/get',
    auth: 'workspace',
    effect: 'read',
    input: z.object({ apiKey: id('ID of the API key') }),
    output: z.looseObject({ apiKey: z.string(), authTokens: z.array(authToken) }),
    message: 'Auth tokens retrieved successfully.',
    records: 'authTokens',
    columns: [
      { header: 'NAME', field: 'name' },
      { header: 'TOKEN', field: 'token' },
      { header: 'DOMAINS', field: 'domains', hideOrder: 1 },
      // The service does not return it: svc adds it from the history of this machine.
      { header: 'RESET', field: 'resetBySvc', isOptional: true },
    ],
    decision: 'all tokens of the API key are listed, in clear',
    isDocumented: false,
    settings: 'read',
    sample: ({ apiKey }) => ({ apiKey }),
  }),
};
