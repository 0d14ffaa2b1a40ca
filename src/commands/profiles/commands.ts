import { type CommandDefinition, defineCommand } from '../definition.ts';
import { PROFILE_COLUMNS, STATUS_COLUMNS } from './columns.ts';
import { ADD_FLAGS, UPDATE_FLAGS } from './flags.ts';

const NAME = { name: 'name', description: 'profile name', required: true } as const;

export const PROFILE_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['profiles', 'add'],
    globalFlags: ['connection'],
    summary: 'Add a profile with a base URL and credentials',
    description:
      'On a terminal, prompts for missing values; secrets are not echoed. No flag takes the value of a secret. Before ' +
      'saving, svc verifies the credentials with a read: if the service rejects them, nothing is saved. Secrets are ' +
      'stored in the OS keychain if it responds within 3 seconds, and otherwise in a file that only you can read. ' +
      'The first profile is selected automatically.',
    examples: {
      'svc login prod --base-url https://api.example.com --api-key key-1':
        'prompt for the auth token',
      'svc login ci --base-url https://api.example.com --api-key key-1 --auth-token-file token.txt':
        'add a profile without prompts',
      'svc login ci --replace --base-url https://api.example.com --api-key key-1 --auth-token-stdin --insecure-storage < token.txt':
        'replace the token, and store it in a file',
    },
    arguments: [
      { ...NAME, description: "profile name: letters, digits, '.', '_', '-'", required: false },
    ],
    options: ADD_FLAGS,
    load: async () => (await import('./add.ts')).addProfile,
  }),
  defineCommand({
    command: ['profiles', 'update'],
    globalFlags: ['connection'],
    summary: 'Change fields of a profile',
    description:
      'Keeps all other fields and secrets. Without flags, prompts for the auth token on a terminal. Another base URL ' +
      'needs the tokens again. svc verifies changed credentials like svc login. An empty --org removes the ' +
      'default organization. Loosening a protection, such as --no-read-only, takes a person who types the name of the ' +
      'profile on a terminal.',
    examples: {
      'svc profiles update staging --read-only': 'refuse all writes from now on',
      'svc profiles update staging --auth-token-file token.txt': 'save a new auth token',
      'svc profiles update staging --approvals 1 --signers allowed_signers':
        'apply only plans that one of the signers approved',
    },
    arguments: [NAME],
    options: UPDATE_FLAGS,
    load: async () => (await import('./update.ts')).updateProfile,
  }),
  {
    command: ['profiles', 'list'],
    globalFlags: ['result'],
    summary: 'List the profiles',
    examples: { 'svc profiles list': 'list all profiles' },
    columns: PROFILE_COLUMNS,
    listEnd: 'complete',
    load: async () => (await import('./show.ts')).listProfiles,
  },
  {
    command: ['profiles', 'show'],
    globalFlags: ['profile', 'result'],
    summary: 'Show a profile with masked secrets',
    examples: { 'svc profiles show staging': 'show the profile staging' },
    arguments: [
      { ...NAME, description: 'profile name (default: the selected profile)', required: false },
    ],
    load: async () => (await import('./show.ts')).showProfile,
  },
  {
    command: ['profiles', 'use'],
    globalFlags: [],
    summary: 'Select the default profile',
    examples: { 'svc profiles use staging': 'use staging by default' },
    arguments: [NAME],
    load: async () => (await import('./change.ts')).useProfile,
  },
  {
    command: ['profiles', 'rename'],
    globalFlags: [],
    summary: 'Rename a profile',
    examples: { 'svc profiles rename staging test': 'rename staging to test' },
    arguments: [
      { name: 'old', description: 'current name', required: true },
      { name: 'new', description: 'new name', required: true },
    ],
    load: async () => (await import('./change.ts')).renameProfile,
  },
  {
    command: ['profiles', 'remove'],
    globalFlags: [],
    summary: 'Remove a profile and its secrets',
    examples: { 'svc profiles remove staging': 'remove staging and its secrets' },
    description: 'Asks for confirmation on a terminal.',
    arguments: [NAME],
    load: async () => (await import('./change.ts')).removeProfile,
  },
  // Scripts of earlier versions use this name of svc whoami --all.
  {
    command: ['auth', 'status'],
    isHidden: true,
    globalFlags: ['service', 'result'],
    summary: 'Show the active credentials and settings, and where each comes from',
    description: 'Exits with 4 if required settings are missing, and lists them.',
    columns: STATUS_COLUMNS,
    load: async () => (await import('./status.ts')).authStatus,
  },
  defineCommand({
    command: ['whoami'],
    globalFlags: ['service', 'result'],
    summary: 'Show the target of commands in one line',
    description:
      'With --check, also sends a read with each credential, and exits with 4 if the service rejects it, or with 8 if it cannot be reached. With --all, shows every setting and its source, and unfinished token resets. Exits with 4 if required settings are missing, and lists them.',
    examples: {
      'svc whoami': 'show the API key, the service, and the profile',
      'svc whoami --check': 'check whether the service accepts the credentials',
      'svc whoami --all': 'show all credentials and settings, and where each comes from',
    },
    options: [
      { flags: '--check', description: 'send a read with each credential' },
      { flags: '--all', description: 'show every setting and its source' },
    ],
    load: async () => (await import('./status.ts')).whoami,
  }),
];
