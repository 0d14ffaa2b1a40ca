import { type CommandDefinition, defineCommand } from '../definition.ts';
import { EXEC_FLAGS } from './flags.ts';
import { SNAPSHOT_COLUMNS } from './snapshot-columns.ts';

const NAME = {
  name: 'name',
  description: 'name of the snapshot: letters, digits, dots, hyphens, and underscores',
  required: true,
};

export const SNAPSHOT_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['local', 'snapshot', 'save'],
    globalFlags: ['local', 'result', 'dry-run'],
    summary: 'Save the data of the embedded service',
    description:
      'Saves all data in the store, including API keys, tokens, and deliveries, but not the clock or the fault rules. Only the owner of the file can read it. Overwrites an existing snapshot with the same name. Does not interrupt a running svc serve.',
    examples: { 'svc local snapshot save seed': 'save the current data as the snapshot seed' },
    arguments: [NAME],
    load: async () => (await import('./snapshot.ts')).saveSnapshot,
  },
  {
    command: ['local', 'snapshot', 'restore'],
    globalFlags: ['local', 'result', 'dry-run'],
    summary: 'Replace the data of the embedded service with a snapshot',
    description:
      'Replaces all data in the store in one transaction, so that requests to a running svc serve see either the old or the new data. API keys and tokens that are newer than the snapshot stop working.',
    examples: { 'svc local snapshot restore seed --yes': 'skip the confirmation' },
    arguments: [NAME],
    load: async () => (await import('./snapshot.ts')).restoreSnapshot,
  },
  {
    command: ['local', 'snapshot', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List snapshots, newest first',
    columns: SNAPSHOT_COLUMNS,
    load: async () => (await import('./snapshot.ts')).listSnapshots,
  },
  {
    command: ['local', 'snapshot', 'diff'],
    globalFlags: ['local', 'result'],
    summary: 'Show the records that have changed since a snapshot',
    description:
      'Compares the records that svc local export contains with those in the snapshot. Ignores timestamps and endpoint secrets. Exits with 20 if anything changed.',
    examples: {
      'svc local snapshot diff seed': 'show the changes since the snapshot seed was saved',
    },
    arguments: [NAME],
    load: async () => (await import('./snapshot.ts')).diffSnapshot,
  },
  {
    command: ['local', 'snapshot', 'remove'],
    globalFlags: ['local', 'dry-run'],
    summary: 'Delete a snapshot',
    arguments: [NAME],
    load: async () => (await import('./snapshot.ts')).removeSnapshot,
  },
];

export const EXEC_COMMAND = defineCommand({
  command: ['local', 'exec'],
  globalFlags: ['local'],
  summary: 'Run a command against the embedded service',
  description:
    'Runs the embedded service on a free local port while the command runs, and sets SVC_BASE_URL, SVC_API_KEY, SVC_AUTH_TOKEN, SVC_WORKSPACE_ID, and SVC_WORKSPACE_AUTH_TOKEN for the command. Exits with the exit code of the command. With --snapshot or --parallel-safe, each run uses a temporary copy of the data, so that runs can be parallel and the store stays unchanged.',
  examples: {
    'svc local exec -- npm test': 'run tests against the embedded service',
    'svc local exec --snapshot seed -- npm test': 'run tests on a copy of a snapshot',
  },
  arguments: [
    {
      name: 'command',
      description: 'program and its arguments, after --',
      required: true,
      many: true,
    },
  ],
  options: EXEC_FLAGS,
  load: async () => (await import('./exec.ts')).localExec,
});
