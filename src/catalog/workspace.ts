import * as z from 'zod';
import { defineOperation } from './define.ts';
import { httpUrl, secret } from './fields.ts';

const apiKey = z.looseObject({ apiKeyName: z.string(), id: z.string(), type: z.string() });

const record = z.looseObject({
  id: z.string(),
  name: z.string(),
  owner: z
    .looseObject({ email: z.string(), id: z.string(), name: z.string(), avatar: z.string() })
    .partial(),
  authToken: secret('workspace auth token'),
  apiKeyList: z.record(z.string(), apiKey),
});

export const workspace = {
  'workspace.get': defineOperation('workspace.get', {
    summary: 'Show the workspace and its API keys',
    examples: { 'svc workspace get': 'show the workspace, with the token masked' },
    path: '/v2/workspace/get',
    auth: 'workspace',
    effect: 'read',
    input: z.object({}),
    output: record,
    message: 'Workspace retrieved successfully',
  }),
  'workspace.create': defineOperation('workspace.create', {
    summary: 'Create a workspace with one API key',
    examples: {
      'svc workspace create --owner-email ada@example.com --workspace-name Acme':
        'create a workspace',
    },
    path: '/v2/workspace/create',
    auth: 'none',
    effect: 'once',
    input: z.object({
      ownerEmail: z.string().min(1).describe("owner's email address"),
      name: z.string().max(200).optional().describe("owner's name"),
      workspaceName: z.string().max(200).optional().describe('workspace name'),
      avatar: httpUrl("URL of the owner's picture").max(2000).optional(),
    }),
    output: record,
    message: 'Workspace created successfully.',
    lookup: {
      operation: 'workspace.create',
      inputFields: { ownerEmail: 'ownerEmail' },
      interpretation: 'ALREADY_EXISTS means that the workspace was created',
    },
  }),
};
