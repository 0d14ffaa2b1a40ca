import { type CommandDefinition, defineCommand } from '../definition.ts';
import { EXPLAIN_ACCESS_FLAGS, LIST_RECORDS_FLAGS, SHOW_RECORD_FLAGS } from './reading-flags.ts';

/** Commands that read data that the API cannot return. */
export const READING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['local', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List records of the embedded service',
    description:
      'Kinds: organizations, users, groups, group-members, members, permissions, folders, documents, notifications, activities, presence, crdt, agents, endpoints, and tokens. Members are the users of organizations. Permissions are memberships in organizations, folders, and documents.',
    examples: {
      'svc local list users --org acme': 'list the users of an organization',
      'svc local list permissions --match u1': 'list the memberships of a user',
    },
    arguments: [
      {
        name: 'kind',
        description: 'kind of records, such as users or notifications',
        required: true,
      },
    ],
    options: LIST_RECORDS_FLAGS,
    load: async () => (await import('./reading.ts')).listLocalRecords,
  }),
  defineCommand({
    command: ['local', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show a record of the embedded service with its memberships',
    description:
      'Shows a user with memberships, groups, documents, and last activity; a document with the users who can open it; or an organization, a folder, or a group. Lists at most 100 related records of each kind, and checks access for the first 1,000 documents or members. If several organizations have a record with the ID, shows all of them; --org selects one.',
    examples: { 'svc local show user u1 --org acme': 'show a user' },
    arguments: [
      {
        name: 'kind',
        description: 'organization, user, group, folder, or document',
        required: true,
      },
      { name: 'id', description: 'ID of the record', required: true },
    ],
    options: SHOW_RECORD_FLAGS,
    load: async () => (await import('./reading.ts')).showLocalRecord,
  }),
  defineCommand({
    command: ['local', 'explain'],
    globalFlags: ['local', 'result'],
    summary: 'Explain whether a user can open a document',
    description:
      'Shows the memberships that grant access, the expired or restricted memberships that do not, and a command that grants access. User groups do not grant access. With --cases, runs the access tests in a file such as {cases: [{org: acme, user: u1, document: d1, expect: allowed}]}, and exits with 20 if a test fails. In GitHub Actions, failures become annotations.',
    examples: {
      'svc local explain --user u1 --document d1 --org acme': 'explain whether u1 can open d1',
      'svc local explain --cases cases.yaml': 'run access tests',
    },
    options: EXPLAIN_ACCESS_FLAGS,
    load: async () => (await import('./explain.ts')).explainLocalAccess,
  }),
];
