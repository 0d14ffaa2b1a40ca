import * as z from 'zod';
import { defineOperation } from './define.ts';
import { accessRole, flag, id, itemResults, organizationId, user, withRules } from './fields.ts';

const userWithRole = user.extend({ accessRole: flag('role', accessRole.optional()) });

const place = {
  organizationId,
  documentId: id('this document only').optional(),
  folderId: id('this folder only').optional(),
};

/** Users go into a document or into a folder, not into both. */
const intoOne = <Schema extends z.ZodObject<typeof place>>(schema: Schema): Schema =>
  withRules(
    schema.refine(({ documentId, folderId }) => !(documentId && folderId), {
      error: 'give documentId or folderId, not both',
      path: ['folderId'],
    }),
    { not: { required: ['documentId', 'folderId'] } },
  );

const bulk = { field: 'users', id: 'userId', noun: 'user' } as const;

const add = {
  command: ['users', 'add'],
  summary: 'Add users to an organization, a folder or a document',
  auth: 'key',
  effect: 'keyed',
  output: itemResults,
  message: 'User(s) processed successfully.',
  bulk,
} as const;

const update = {
  command: ['users', 'update'],
  summary: 'Update users that exist',
  auth: 'key',
  effect: 'set',
  output: itemResults,
  message: 'User(s) processed successfully.',
  bulk,
} as const;

const item = z.looseObject({});

export const users = {
  'users.add': defineOperation({
    ...add,
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
      {
        command: 'svc users add --org acme --file users.json --file users.csv --duplicates last',
        does: 'several files as one job; who is in both is added as the second has it',
      },
    ],
    path: '/v1/users/add',
    input: intoOne(z.object({ ...place, users: z.array(user).min(1) })),
  }),
  'users.add.v2': defineOperation({
    ...add,
    path: '/v2/users/add',
    input: intoOne(
      z.object({
        ...place,
        createOrganization: z.boolean().optional().describe('create the organization when it does not exist (v2)'),
        createDocument: z.boolean().optional().describe('create the document when it does not exist (v2)'),
        createFolder: z.boolean().optional().describe('create the folder when it does not exist (v2)'),
        users: z.array(userWithRole).min(1),
      }),
    ),
  }),
  'users.update': defineOperation({
    ...update,
    examples: [{ command: 'svc users update --org acme --user u1 --name "Ada King"', does: "change a user's name" }],
    path: '/v1/users/update',
    input: intoOne(z.object({ ...place, users: z.array(user).min(1) })),
  }),
  'users.update.v2': defineOperation({
    ...update,
    path: '/v2/users/update',
    input: intoOne(z.object({ ...place, users: z.array(userWithRole).min(1) })),
  }),
  'users.data': defineOperation({
    command: ['users', 'data'],
    summary: 'Show what a user created or took part in',
    description: 'Comments, reactions, recordings and notifications, each up to 100 a page.',
    examples: [{ command: 'svc users data --org acme --user u1 --all -o json', does: 'everything, merged' }],
    path: '/v1/users/data/get',
    auth: 'key',
    effect: 'read',
    input: z.object({
      organizationId,
      userId: id('user id'),
      pageToken: z.string().optional().describe('go on where an earlier page ended'),
    }),
    output: z.looseObject({
      comments: z.array(item),
      reactions: z.array(item),
      recordings: z.array(item),
      notifications: z.array(item),
    }),
    message: 'Data fetched successfully.',
    pages: { cursorIn: 'pageToken', cursorOut: (result) => result['nextPageToken'], merge: true },
  }),
};
