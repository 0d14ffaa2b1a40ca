import { type CommandDefinition, defineCommand } from '../definition.ts';
import { DELIVERY_COLUMNS } from '../embedded/delivery-views.ts';
import { CLOCK_COMMANDS } from './clock-commands.ts';
import { FAULT_COMMANDS } from './fault-commands.ts';
import { IMPORT_FLAGS, LIST_DELIVERIES_FLAGS, RETRY_DELIVERIES_FLAGS } from './flags.ts';
import { READING_COMMANDS } from './reading-commands.ts';
import { REQUEST_COMMANDS } from './request-commands.ts';
import { EXEC_COMMAND, SNAPSHOT_COMMANDS } from './snapshot-commands.ts';

export const LOCAL_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['local', 'import'],
    globalFlags: ['local', 'result', 'dry-run'],
    summary: 'Import data into the embedded service',
    description:
      'Reads a settings file, or JSON or YAML in the format of svc local export, with any of organizations, folders, documents, users, groups, activities, agents, agentGroups, crdt, userData, endpoints, and config. Validates all data before writing, and writes either everything or nothing. Updates existing records, and keeps records that are not in the file.',
    examples: {
      'svc local import state.yaml': 'import a file',
      'svc local import state.json --dry-run': 'validate a file',
      'svc local import svc.yaml --env staging': 'import one environment of a settings file',
      'svc local export | svc local import - --store copy.sqlite': 'copy one store to another',
    },
    arguments: [
      {
        name: 'file',
        description: "JSON or YAML file, folder of settings files, or '-' for stdin",
        required: true,
      },
    ],
    options: IMPORT_FLAGS,
    load: async () => (await import('./import.ts')).localImport,
  }),
  {
    command: ['local', 'export'],
    globalFlags: ['local', 'result'],
    summary: 'Export all data of the embedded service',
    description:
      'Writes one JSON document (YAML with -o yaml) that svc local import can read. The export is a full backup and contains the secrets of endpoints, webhooks, email, and the permission provider. Only the owner of the file can read it.',
    examples: {
      'svc local export': 'print as JSON',
      'svc local export backup.yaml': 'write a YAML file',
    },
    arguments: [{ name: 'file', description: 'output file (default: stdout)', required: false }],
    load: async () => (await import('./export.ts')).localExport,
  },
  {
    command: ['local', 'reset'],
    globalFlags: ['local', 'dry-run'],
    summary: 'Delete all records of the embedded service',
    description:
      'Keeps the workspace, its API keys, and their tokens, so that clients keep working.',
    examples: { 'svc local reset --yes': 'skip the confirmation' },
    load: async () => (await import('./reset.ts')).localReset,
  },
  EXEC_COMMAND,
  ...SNAPSHOT_COMMANDS,
  defineCommand({
    command: ['local', 'deliveries', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List webhook deliveries, newest first',
    description:
      'A delivery sends one event to one target: an endpoint, or the raw or processed URL of basic webhooks. svc serve sends pending deliveries. Failed deliveries are kept and can be retried.',
    examples: {
      'svc local deliveries list --state failed': 'list failed deliveries',
      'svc local deliveries list --event comment.add -o json': 'list one event type as JSON',
    },
    options: LIST_DELIVERIES_FLAGS,
    columns: DELIVERY_COLUMNS,
    load: async () => (await import('./deliveries.ts')).listLocalDeliveries,
  }),
  {
    command: ['local', 'deliveries', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show webhook deliveries with every attempt',
    arguments: [{ name: 'id', description: 'delivery IDs', required: true, many: true }],
    load: async () => (await import('./deliveries.ts')).showLocalDeliveries,
  },
  defineCommand({
    command: ['local', 'deliveries', 'retry'],
    globalFlags: ['local', 'result', 'dry-run'],
    summary: 'Retry webhook deliveries',
    description:
      'Schedules deliveries for immediate retry, with the same IDs and the full number of attempts. svc serve sends them. Pending deliveries do not wait for their next attempt.',
    examples: { 'svc local deliveries retry --failed': 'retry all failed deliveries' },
    arguments: [{ name: 'id', description: 'delivery IDs', required: false, many: true }],
    options: RETRY_DELIVERIES_FLAGS,
    load: async () => (await import('./deliveries.ts')).retryLocalDeliveries,
  }),
  ...CLOCK_COMMANDS,
  ...FAULT_COMMANDS,
  ...REQUEST_COMMANDS,
  ...READING_COMMANDS,
];
