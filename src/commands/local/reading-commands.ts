import { defineCommand } from '../define-command.ts';
import type { CommandDefinition, OptionDefinition, OptionsOf } from '../definition.ts';
import { DEFAULT_LIST_LIMIT } from './flags.ts';

const ORGANIZATION = { flags: '--org <id>', description: 'only this organization (default: all)' } as const;

const LIST_RECORDS_FLAGS = [
  ORGANIZATION,
  { flags: '--match <text>', description: 'only records whose ID, name, or email contains this text' },
  { flags: '--limit <n>', description: `maximum number of records (default: ${DEFAULT_LIST_LIMIT})` },
] as const satisfies readonly OptionDefinition[];

export type ListRecordsFlags = OptionsOf<typeof LIST_RECORDS_FLAGS>;

const SHOW_RECORD_FLAGS = [ORGANIZATION] as const satisfies readonly OptionDefinition[];

export type ShowRecordFlags = OptionsOf<typeof SHOW_RECORD_FLAGS>;

const EXPLAIN_ACCESS_FLAGS = [
  { flags: '--user <id>', description: 'user ID' },
  { flags: '--document <id>', description: 'document ID' },
  { flags: '--org <id>', description: 'organization of the document' },
  { flags: '--cases <file>', description: 'YAML or JSON file of access tests' },
] as const satisfies readonly OptionDefinition[];

export type ExplainAccessFlags = OptionsOf<typeof EXPLAIN_ACCESS_FLAGS>;

/** Commands that read what the API cannot return. */
export const READING_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['local', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List records of the embedded service',
    description:
      'Kinds: organizations, users, groups, group-members, members, permissions, folders, documents, notifications, activities, presence, crdt, agents, endpoints, and tokens. Members are the users of an organization; permissions are memberships in organizations, folders, and documents.',
    examples: {
      'svc local list users --org acme': 'list the users of an organization',
      'svc local list permissions --match u1': 'list what a user was added to',
    },
    arguments: [{ name: 'kind', description: 'kind of records, such as users or notifications', required: true }],
    options: LIST_RECORDS_FLAGS,
    load: async () => (await import('./reading.ts')).listLocalRecords,
  }),
  defineCommand({
    command: ['local', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show a record of the embedded service with its memberships',
    description:
      'Shows a user with memberships, groups, documents, and last activity; a document with the users who can open it; or an organization, a folder, or a group. Lists at most 100 of each, and checks the first 1,000 documents or members. Shows the record of every organization that has the ID; --org chooses one.',
    examples: { 'svc local show user u1 --org acme': 'show a user' },
    arguments: [
      { name: 'kind', description: 'organization, user, group, folder, or document', required: true },
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
      'Shows the memberships that grant access, those that almost do, and the command that grants access. User groups do not grant access. With --cases, checks each entry of a file such as {cases: [{org: acme, user: u1, document: d1, expect: allowed}]}, and exits with 20 if one fails. In GitHub Actions, failures become annotations.',
    examples: {
      'svc local explain --user u1 --document d1 --org acme': 'explain the access of a user',
      'svc local explain --cases cases.yaml': 'run access tests',
    },
    options: EXPLAIN_ACCESS_FLAGS,
    load: async () => (await import('./explain.ts')).explainLocalAccess,
  }),
];
