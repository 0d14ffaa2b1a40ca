import { FORMATS } from '../../output/format.ts';
import type { CommandDefinition } from '../definition.ts';

const NAME = { name: 'name', describes: 'a profile', required: true } as const;

/** The commands about who is asking. */
export const PROFILE_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['profiles', 'add'],
    summary: 'Save an address and its credentials under a name',
    description:
      'On a terminal it asks for what is missing, secrets without echo. Elsewhere it takes what it is given. ' +
      'No flag takes the value of a secret. They are kept in the keychain of the system where it answers within 3 ' +
      'seconds, and else in a file that only you can read. The first profile becomes the one in use.',
    examples: [
      {
        command: 'svc profiles add prod --base-url https://api.example.com --api-key key-1',
        does: 'asks for the auth token',
      },
      {
        command: 'svc profiles add ci --base-url https://api.example.com --api-key key-1 --auth-token-file token.txt',
        does: 'asks nothing',
      },
      {
        command:
          'svc profiles add ci --replace --base-url https://api.example.com --api-key key-1 --auth-token-stdin --insecure-storage < token.txt',
        does: 'with a new token, kept in a file from now on',
      },
    ],
    arguments: [{ ...NAME, describes: "its name: letters, digits, '.', '_', '-'" }],
    options: [
      { flags: '--api-key <id>', describes: 'the API key, which is an id and no secret' },
      { flags: '--auth-token-stdin', describes: "read the API key's auth token from stdin" },
      { flags: '--auth-token-file <path>', describes: "read the API key's auth token from a file" },
      { flags: '--workspace-id <id>', describes: 'the workspace, for commands about the workspace itself' },
      { flags: '--workspace-auth-token-stdin', describes: "read the workspace's auth token from stdin" },
      { flags: '--workspace-auth-token-file <path>', describes: "read the workspace's auth token from a file" },
      { flags: '--header-prefix <prefix>', describes: 'how header names start (x-svc-)' },
      { flags: '--org <id>', describes: 'organization to use where none is given' },
      { flags: '--default-output <format>', describes: 'output format to use where none is given', choices: FORMATS },
      { flags: '--protected', describes: 'ask for the name of the profile before each write' },
      { flags: '--replace', describes: 'replace the profile of this name, its secrets included' },
      { flags: '--insecure-storage', describes: 'keep the secrets in a private file, not in the keychain' },
    ],
    load: async () => (await import('./add.ts')).addProfile,
  },
  {
    command: ['profiles', 'list'],
    summary: 'List the profiles',
    examples: [{ command: 'svc profiles list', does: 'names and addresses, the one in use marked' }],
    load: async () => (await import('./list.ts')).listProfiles,
  },
  {
    command: ['profiles', 'show'],
    summary: 'Show one profile, secrets masked',
    examples: [{ command: 'svc profiles show staging', does: 'one of them' }],
    arguments: [{ ...NAME, describes: 'a profile; without it the one in use', required: false }],
    load: async () => (await import('./show.ts')).showProfile,
  },
  {
    command: ['profiles', 'use'],
    summary: 'Choose the profile that is used when none is named',
    examples: [{ command: 'svc profiles use staging', does: 'from now on' }],
    arguments: [NAME],
    load: async () => (await import('./change.ts')).useProfile,
  },
  {
    command: ['profiles', 'rename'],
    summary: 'Rename a profile; its secrets move with it',
    examples: [{ command: 'svc profiles rename staging test', does: 'under another name' }],
    arguments: [
      { name: 'old', describes: 'the name it has', required: true },
      { name: 'new', describes: 'the name it gets', required: true },
    ],
    load: async () => (await import('./change.ts')).renameProfile,
  },
  {
    command: ['profiles', 'remove'],
    summary: 'Remove a profile and its secrets',
    examples: [{ command: 'svc profiles remove staging', does: 'with its secrets' }],
    description: 'On a terminal it asks first.',
    arguments: [NAME],
    load: async () => (await import('./change.ts')).removeProfile,
  },
  {
    command: ['auth', 'status'],
    summary: 'Show who is asking whom: each setting and where it comes from',
    examples: [{ command: 'svc auth status', does: 'for the profile in use' }],
    description: 'Exits with 4 when no operation could be called, and says what is missing.',
    load: async () => (await import('./status.ts')).authStatus,
  },
];
