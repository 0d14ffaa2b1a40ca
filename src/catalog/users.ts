import * as z from 'zod';
import { defineOperation } from './define.ts';
import { id, itemResults, organizationId } from './fields.ts';

export const user = z.looseObject({
  userId: id('user id'),
  name: z.string().optional().describe('display name'),
  email: z.string().optional().describe('e-mail address'),
  initial: z
    .string()
    .optional()
    .describe('initial shown where there is no picture; derived from the name when left out'),
});

export const users = {
  'users.add': defineOperation({
    command: ['users', 'add'],
    summary: 'Add users to an organization, a folder or a document',
    description:
      'Adds each user or updates the one with the same id. Without --document or --folder users join the organization, which is created when it does not exist. With either, they are added there only.',
    examples: [
      { command: 'svc users add --org acme --file users.json', does: 'add everyone in a file' },
      {
        command: 'svc users add --org acme --user u1 --name "Ada Lovelace" --email ada@example.com',
        does: 'add one user',
      },
      {
        command: 'svc users add --org acme --document d1 --file - --input-format ndjson < users.ndjson',
        does: 'add users to one document, from a pipe',
      },
    ],
    path: '/v1/users/add',
    auth: 'key',
    effect: 'keyed',
    input: z
      .object({
        organizationId,
        documentId: id('add the users to this document only').optional(),
        folderId: id('add the users to this folder only').optional(),
        users: z.array(user).min(1),
      })
      .refine((input) => !(input.documentId && input.folderId), {
        error: 'give documentId or folderId, not both',
        path: ['folderId'],
      }),
    output: itemResults,
    message: 'User(s) processed successfully.',
    bulk: { field: 'users', id: 'userId', noun: 'user' },
  }),
};
