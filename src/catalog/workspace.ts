import * as z from 'zod';
import { defineOperation } from './define.ts';
import { secret } from './fields.ts';

const apiKey = z.looseObject({ apiKeyName: z.string(), id: z.string(), type: z.string() });

export const workspace = {
  'workspace.get': defineOperation({
    command: ['workspace', 'get'],
    summary: 'Show the workspace and its API keys',
    examples: [{ command: 'svc workspace get', does: 'show the workspace, its token masked' }],
    path: '/v2/workspace/get',
    auth: 'workspace',
    effect: 'read',
    input: z.object({}),
    output: z.looseObject({
      id: z.string(),
      name: z.string(),
      owner: z.looseObject({ email: z.string(), id: z.string(), name: z.string(), avatar: z.string() }).partial(),
      authToken: secret('workspace auth token'),
      apiKeyList: z.record(z.string(), apiKey),
    }),
    message: 'Workspace retrieved successfully',
  }),
};
