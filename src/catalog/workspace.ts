import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { httpUrl, secret } from './fields.ts';
import { described } from './metadata.ts';

const apiKey = z.looseObject({ apiKeyName: z.string(), id: z.string(), type: z.string() });

const record = z.looseObject({
  id: z.string(),
  name: z.string(),
  owner: z.partial(
    z.looseObject({ email: z.string(), id: z.string(), name: z.string(), avatar: z.string() }),
  ),
  authToken: secret('workspace auth token'),
  apiKeyList: z.record(z.string(), apiKey),
});

export const workspace = {
  'workspace.get': defineOperation('workspace.get', {
    summary: 'Show the workspace and its API keys',
    path: '/v2/workspace/get',
    auth: 'workspace',
    effect: 'read',
    input: z.object({}),
    output: record,
    message: 'Workspace retrieved successfully',
    decision: 'the service returns secrets in clear',
    settings: 'read',
    sample: () => ({}),
  }),
  'workspace.create': defineOperation('workspace.create', {
    summary: 'Create a workspace with one API key',
    path: '/v2/workspace/create',
    auth: 'none',
    effect: 'once',
    // The answer has the only copy of the token.
    revealsSecrets: true,
    input: z.object({
      ownerEmail: described(z.string().check(z.minLength(1)), "owner's email address"),
      name: described(
        z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
        "owner's name (default: the email address)",
      ),
      workspaceName: described(
        z.optional(z.string().check(z.maxLength(200))),
        "workspace name (default: the owner's name, followed by workspace)",
      ),
      avatar: z.optional(httpUrl("URL of the owner's picture").check(z.maxLength(2000))),
    }),
    output: record,
    message: 'Workspace created successfully',
    lookup: {
      operation: 'workspace.create',
      inputFields: { ownerEmail: 'ownerEmail' },
      interpretation: 'ALREADY_EXISTS means that the workspace was created',
    },
    decision: 'a second workspace of an email address is ALREADY_EXISTS',
    isDocumented: false,
    settings: { notSettings: 'credentials are never part of a settings file' },
    sample: () => ({
      ownerEmail: 'ada@example.com',
      name: 'Ada',
      workspaceName: 'Engines',
      avatar: 'https://example.com/ada.png',
    }),
  }),
};
