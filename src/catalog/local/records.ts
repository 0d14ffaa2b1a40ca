import * as z from 'zod/mini';
import { flag, id } from '../fields.ts';
import { described } from '../metadata.ts';
import type { Explanation, StoredRecord, StoredRecords } from './answers.ts';
import { defineAdminOperation, limitOf, result } from './define.ts';
import { SECRET_FIELDS, SHOWN_KINDS, STORED_KIND_NAMES } from './stored-kinds.ts';

const idOf = (description: string) => flag({ value: 'id' }, id(description));
const org = z.optional(idOf('only this organization (default: all)'));

/** Operations that read data that the public API cannot return. */
export const records = {
  'local.list': defineAdminOperation('local.list', {
    needs: 'data',
    summary: 'List records of the embedded service',
    description:
      'Kinds: organizations, users, groups, group-members, members, permissions, folders, documents, notifications, activities, presence, crdt, agents, endpoints, and tokens. Members are the users of organizations. Permissions are memberships in organizations, folders, and documents.',
    examples: {
      'svc local list users --org acme': 'list the users of an organization',
      'svc local list permissions --match u1': 'list the memberships of a user',
    },
    path: '/_svc/list',
    effect: 'read',
    input: z.object({
      kind: described(z.enum(STORED_KIND_NAMES), 'kind of records, such as users or notifications'),
      org,
      match: described(
        z.optional(z.string()),
        'only records whose ID, name, or email contains this text',
      ),
      limit: limitOf('records'),
    }),
    output: result<StoredRecords>(),
    arguments: [{ field: 'kind' }],
    secrets: ({ kind }) => {
      const field = SECRET_FIELDS[kind];
      return field === undefined ? [] : [['records', '*', field]];
    },
  }),
  'local.show': defineAdminOperation('local.show', {
    needs: 'data',
    summary: 'Show a record of the embedded service with its memberships',
    description:
      'Shows a user with memberships, groups, documents, and last activity; a document with the users who can open it; or an organization, a folder, or a group. Lists at most 100 related records of each kind, and checks access for the first 1,000 documents or members. If several organizations have a record with the ID, shows all of them; --org selects one.',
    examples: { 'svc local show user u1 --org acme': 'show a user' },
    path: '/_svc/show',
    effect: 'read',
    input: z.object({
      kind: described(z.enum(SHOWN_KINDS), 'organization, user, group, folder, or document'),
      id: id('ID of the record'),
      org,
    }),
    output: result<{ readonly records: readonly StoredRecord[] }>(),
    arguments: [{ field: 'kind' }, { field: 'id' }],
  }),
  'local.explain': defineAdminOperation('local.explain', {
    needs: 'data',
    summary: 'Explain whether a user can open a document',
    description:
      'Shows the memberships that grant access, the expired or restricted memberships that do not, and a command that grants access. User groups do not grant access. With --cases, runs the access tests in a file such as {cases: [{org: acme, user: u1, document: d1, expect: allowed}]}, and exits with 20 if a test fails. In GitHub Actions, failures become annotations.',
    examples: {
      'svc local explain --user u1 --document d1 --org acme': 'explain whether u1 can open d1',
      'svc local explain --cases cases.yaml': 'run access tests',
    },
    path: '/_svc/explain',
    effect: 'read',
    input: z.object({
      user: idOf('user ID'),
      document: idOf('document ID'),
      org: idOf('organization of the document'),
    }),
    output: result<Explanation>(),
  }),
};
