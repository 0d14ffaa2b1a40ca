import type { CommandDefinition } from '../definition.ts';
import { DELIVERY_STATES, LISTED } from './delivery-words.ts';

/** The commands about the embedded service's own data. */
export const LOCAL_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['local', 'import'],
    summary: 'Load records into the embedded service',
    description:
      'Takes JSON or YAML with any of organizations, folders, documents, users, groups, activities, agents, agentGroups, crdt, userData, endpoints and config, as svc local export writes them. All of it is checked before anything is written, and all of it is written or nothing. A record that exists is updated; what the file does not name stays.',
    examples: [
      { command: 'svc local import state.yaml', does: 'load a file' },
      { command: 'svc local import state.json --dry-run', does: 'only check it' },
      { command: 'svc local export | svc local import - --store copy.sqlite', does: 'copy one store to another' },
    ],
    arguments: [{ name: 'file', describes: "JSON or YAML; '-' for stdin", required: true }],
    load: async () => (await import('./import.ts')).localImport,
  },
  {
    command: ['local', 'export'],
    summary: 'Write everything that the embedded service holds',
    description:
      'Writes one document, JSON or with -o yaml YAML, that svc local import reads back. It is a full backup: secrets of endpoints, webhooks, e-mail and the permission provider are in it. The file is readable by its owner only.',
    examples: [
      { command: 'svc local export', does: 'print it as JSON' },
      { command: 'svc local export backup.yaml', does: 'write it to a file, here as YAML' },
    ],
    arguments: [{ name: 'file', describes: 'where to write; stdout when left out', required: false }],
    load: async () => (await import('./export.ts')).localExport,
  },
  {
    command: ['local', 'reset'],
    summary: 'Delete everything that the embedded service holds',
    description:
      'Deletes every record. The workspace, its API keys and their tokens stay, so that callers stay able to call.',
    examples: [{ command: 'svc local reset --yes', does: 'without being asked' }],
    load: async () => (await import('./reset.ts')).localReset,
  },
  {
    command: ['local', 'exec'],
    summary: 'Run a command beside the embedded service',
    description:
      'Serves on a free port of this machine while the command runs, with SVC_BASE_URL, SVC_API_KEY, SVC_AUTH_TOKEN, SVC_WORKSPACE_ID and SVC_WORKSPACE_AUTH_TOKEN set, and exits with its code.',
    examples: [{ command: 'svc local exec -- npm test', does: 'run tests against the service' }],
    arguments: [{ name: 'command', describes: 'a program and its arguments, after --', required: true, many: true }],
    load: async () => (await import('./exec.ts')).localExec,
  },
  {
    command: ['local', 'deliveries', 'list'],
    summary: 'List webhook deliveries, newest first',
    description:
      'A delivery is an event on its way to one target: an endpoint, or the raw or processed URL of basic webhooks. svc serve sends what is pending; what has failed for good stays, and can be sent again.',
    examples: [
      { command: 'svc local deliveries list --state failed', does: 'what was given up' },
      { command: 'svc local deliveries list --event comment.add -o json', does: 'of one event type, for a script' },
    ],
    options: [
      { flags: '--state <state>', describes: 'only these', choices: DELIVERY_STATES },
      { flags: '--endpoint <id>', describes: 'only to this endpoint, or raw or processed' },
      { flags: '--event <type>', describes: 'only of this event type' },
      { flags: '--limit <n>', describes: `how many at most (${LISTED})` },
    ],
    load: async () => (await import('./deliveries.ts')).listCommand,
  },
  {
    command: ['local', 'deliveries', 'show'],
    summary: 'Show webhook deliveries with every attempt',
    arguments: [{ name: 'id', describes: 'ids of deliveries', required: true, many: true }],
    load: async () => (await import('./deliveries.ts')).showCommand,
  },
  {
    command: ['local', 'deliveries', 'retry'],
    summary: 'Send webhook deliveries again',
    description:
      'Makes them due at once, with all their attempts before them again, under the ids they have. svc serve sends them. One that is waiting for its next attempt need not wait any longer.',
    examples: [{ command: 'svc local deliveries retry --failed', does: 'all that were given up' }],
    arguments: [{ name: 'id', describes: 'ids of deliveries', required: false, many: true }],
    options: [{ flags: '--failed', describes: 'all that have failed' }],
    load: async () => (await import('./deliveries.ts')).retryCommand,
  },
];
