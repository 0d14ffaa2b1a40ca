import * as z from 'zod/mini';
import { quoteId } from '../kernel/id-text.ts';
import { defineOperation } from './define.ts';
import {
  createsOrganization,
  documentId,
  id,
  organizationId,
  records,
  warnAboutUnknownValues,
} from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_ACTOR, SAMPLE_DOCUMENT, SAMPLE_NAME } from './sample-data.ts';

const KNOWN_STATUSES = ['online', 'away', 'offline', 'active'];

const input = z.object({
  organizationId,
  documentId,
  users: records({
    userId: id('user ID'),
    name: described(z.optional(z.string()), 'display name'),
    email: described(z.optional(z.string()), 'email address'),
    status: described(z.optional(z.string()), `presence status: ${KNOWN_STATUSES.join(', ')}`),
  }),
});

const write = {
  effect: 'set',
  createsParents: createsOrganization,
  input,
  output: z.looseObject({ success: z.boolean() }),
  bulk: {
    field: 'users',
    id: 'userId',
    noun: 'user',
    object: 'presence of user',
    sharedResult: true,
    listed: { readOnly: ['lastUpdated'] },
  },
  warnings: ({ users }: z.output<typeof input>) =>
    warnAboutUnknownValues(
      'presence status',
      KNOWN_STATUSES,
      users.map(({ status }) => status),
    ),
} as const;

export const presence = {
  'presence.add': defineOperation('presence.add', {
    ...write,
    summary: 'Add users to the presence of a document',
    path: '/v2/presence/add',
    message: 'Presence added successfully.',
    decision: 'presence accepts any status, and existing users are updated',
    isDocumented: false,
    settings: { notSettings: 'presence changes all the time' },
    sample: () => ({
      ...SAMPLE_DOCUMENT,
      users: [{ ...SAMPLE_ACTOR, status: 'online', ...SAMPLE_NAME }],
    }),
  }),
  'presence.update': defineOperation('presence.update', {
    ...write,
    summary: "Update users' presence in a document",
    path: '/v2/presence/update',
    message: 'Presence updated successfully.',
    decision: 'presence accepts any status, and an update adds missing users',
    settings: { notSettings: 'presence changes all the time' },
    sample: () => ({
      ...SAMPLE_DOCUMENT,
      users: [{ ...SAMPLE_ACTOR, status: 'away', ...SAMPLE_NAME }],
    }),
  }),
  'presence.delete': defineOperation('presence.delete', {
    summary: "Remove users' presence from a document",
    path: '/v2/presence/delete',
    effect: 'delete',
    input: z.object({
      organizationId,
      documentId,
      userIds: described(z.array(id('user ID')).check(z.minLength(1)), 'user ID'),
    }),
    output: z.looseObject({ success: z.boolean() }),
    message: 'Presence deleted successfully.',
    bulk: {
      field: 'userIds',
      id: 'userId',
      noun: 'user',
      object: 'presence of user',
      bareIds: true,
      sharedResult: true,
    },
    confirm: ({ documentId }) =>
      `Remove users from the presence list of document ${quoteId(documentId)}?`,
    decision: 'presence accepts any status, and an update adds missing users',
    settings: { notSettings: 'presence changes all the time' },
    sample: () => ({ ...SAMPLE_DOCUMENT, userIds: ['u1'] }),
  }),
};
