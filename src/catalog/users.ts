import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { fieldMessage } from './field-message.ts';
import {
  accessRole,
  createsOrganization,
  flag,
  id,
  itemResults,
  mayCreateOrganization,
  organizationId,
  user,
  withRules,
} from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_DOCUMENT, SAMPLE_ORG, SAMPLE_USER } from './sample-data.ts';

const userWithRole = z.extend(user, { accessRole: flag('role', z.optional(accessRole)) });

const location = {
  organizationId,
  documentId: z.optional(id('document to add or update the users in')),
  folderId: z.optional(id('folder to add or update the users in')),
};

const requireSingleTarget = <Schema extends z.ZodMiniObject<typeof location>>(
  schema: Schema,
): Schema =>
  withRules(
    schema.check(
      z.refine(({ documentId, folderId }) => !(documentId && folderId), {
        ...fieldMessage`specify ${{ field: 'documentId' }} or ${{ field: 'folderId' }}, not both`,
        path: ['folderId'],
      }),
    ),
    { not: { required: ['documentId', 'folderId'] } },
  );

const write = {
  output: itemResults,
  message: 'User(s) processed successfully.',
  bulk: {
    field: 'users',
    id: 'userId',
    noun: 'user',
    listed: { readOnly: ['id'], hasMemberships: true },
  },
} as const;

const add = {
  ...write,
  summary: 'Add users to an organization, folder, or document',
  effect: 'keyed',
} as const;
const update = { ...write, summary: 'Update existing users', effect: 'set' } as const;
const item = z.looseObject({});

export const users = {
  'users.add': defineOperation('users.add', {
    ...add,
    description:
      'Adds new users and updates existing ones with the same ID. Without a document or folder, adds users to the organization, which is created if it does not exist. With either, adds users only to that document or folder.',
    examples: {
      'svc users add --local --org acme --file users.json':
        'add all users in a file to the embedded service',
      'svc users add --org acme --document d1 --file - --input-format ndjson < users.ndjson':
        'add users from stdin to a document',
      'svc users add --org acme --file users.json --file users.csv --duplicates last':
        'add users from two files in one job; for duplicate IDs, the last record wins',
    },
    createsParents: createsOrganization,
    path: '/v1/users/add',
    input: requireSingleTarget(
      z.object({ ...location, users: z.array(user).check(z.minLength(1)) }),
    ),
    decision: 'adding users creates the organization and updates existing users',
    settings: { writes: 'users' },
    sample: () => ({ ...SAMPLE_ORG, users: [SAMPLE_USER], documentId: 'd1' }),
  }),
  'users.add.v2': defineOperation('users.add.v2', {
    ...add,
    createsParents: mayCreateOrganization,
    path: '/v2/users/add',
    input: requireSingleTarget(
      z.object({
        ...location,
        createOrganization: described(
          z.optional(z.boolean()),
          'create the organization if it does not exist',
        ),
        createDocument: described(
          z.optional(z.boolean()),
          'create the document if it does not exist',
        ),
        createFolder: described(z.optional(z.boolean()), 'create the folder if it does not exist'),
        users: z.array(userWithRole).check(z.minLength(1)),
      }),
    ),
    decision: 'existing users are updated; the organization is created only if requested',
    isDocumented: false,
    settings: { writes: 'users' },
    sample: () => ({
      ...SAMPLE_DOCUMENT,
      createOrganization: true,
      createDocument: true,
      createFolder: true,
      users: [{ ...SAMPLE_USER, accessRole: 'editor' as const }],
    }),
  }),
  'users.update': defineOperation('users.update', {
    ...update,
    path: '/v1/users/update',
    input: requireSingleTarget(
      z.object({ ...location, users: z.array(user).check(z.minLength(1)) }),
    ),
    decision: 'an unknown user fails alone',
    isDocumented: false,
    settings: { writes: 'users' },
    sample: () => ({ ...SAMPLE_ORG, users: [SAMPLE_USER], documentId: 'd1' }),
  }),
  'users.update.v2': defineOperation('users.update.v2', {
    ...update,
    path: '/v2/users/update',
    input: requireSingleTarget(
      z.object({ ...location, users: z.array(userWithRole).check(z.minLength(1)) }),
    ),
    decision: 'an unknown user fails alone',
    isDocumented: false,
    settings: { notSettings: 'users.add creates and updates users' },
    sample: () => ({ ...SAMPLE_ORG, users: [{ ...SAMPLE_USER, accessRole: 'viewer' as const }] }),
  }),
  'users.data': defineOperation('users.data', {
    summary: 'Show the comments, reactions, recordings, and notifications of a user',
    description: 'Returns up to 100 items of each kind per page.',
    examples: {
      'svc users data --org acme --user u1 --all -o json':
        'show all data of a user, with all pages merged',
    },
    path: '/v1/users/data/get',
    aliases: [{ path: '/v2/users/data/get' }],
    effect: 'read',
    input: z.object({
      organizationId,
      userId: id('user ID'),
      pageToken: described(z.optional(z.string()), 'page token from a previous response'),
    }),
    output: z.looseObject({
      comments: z.array(item),
      reactions: z.array(item),
      recordings: z.array(item),
      notifications: z.array(item),
    }),
    message: 'Data fetched successfully.',
    pages: { cursorIn: 'pageToken', cursorOut: (result) => result['nextPageToken'], merge: true },
    decision: 'user data has four lists and one page token, which is null at the end',
    settings: 'read',
    sample: () => ({ ...SAMPLE_ORG, userId: 'u1', pageToken: '' }),
  }),
};
