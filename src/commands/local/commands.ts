import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import { FAILED_STATES } from '../../catalog/local/delivery.ts';
import { adminEntries } from '../../catalog/local/entries.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import type { AdminOperationName } from '../../catalog/local/index.ts';
import { createFlagDefinitions } from '../call/flag-definitions.ts';
import { type CommandDefinition, defineCommand, type OptionDefinition } from '../definition.ts';
import { FORCE_FLAG, longName, optionalProperty } from '../options.ts';
import type { ClockCommand } from './clock.ts';
import { EXEC_FLAGS, IMPORT_FLAGS } from './flags.ts';

/** Commands that do more than one call, or are not operations. */
const OWN_COMMANDS: readonly CommandDefinition[] = [
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
        file: 'input',
      },
    ],
    options: IMPORT_FLAGS,
    load: async () => (await import('./import.ts')).localImport,
  }),
  defineCommand({
    command: ['local', 'export'],
    globalFlags: ['local', 'result'],
    summary: 'Export the records of the embedded service',
    description:
      'Writes one JSON document (YAML with -o yaml) that svc local import can read. It contains the secrets of endpoints, webhooks, email, and the permission provider, but no presence, API keys, tokens, or deliveries: svc local snapshot save copies those too. Only the owner of an output file can read it.',
    examples: {
      'svc local export': 'print as JSON',
      'svc local export backup.yaml': 'write a YAML file',
    },
    arguments: [
      {
        name: 'file',
        description: 'output file (default: stdout)',
        required: false,
        file: 'export',
      },
    ],
    options: [FORCE_FLAG],
    load: async () => (await import('./export.ts')).localExport,
  }),
  {
    command: ['local', 'reset'],
    globalFlags: ['local', 'dry-run'],
    summary: 'Delete all records of the embedded service',
    description:
      'Keeps the workspace, its API keys, and their tokens, so that clients keep working.',
    examples: { 'svc local reset --yes': 'skip the confirmation' },
    load: async () => (await import('./reset.ts')).localReset,
  },
  defineCommand({
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
        mayBeEmpty: true,
      },
    ],
    options: EXEC_FLAGS,
    load: async () => (await import('./exec.ts')).localExec,
  }),
  defineLocalCommand('local.snapshot.save', {
    load: async () => (await import('./snapshots.ts')).saveSnapshot,
  }),
  defineLocalCommand('local.snapshot.restore', {
    load: async () => (await import('./snapshots.ts')).restoreSnapshot,
  }),
  defineLocalCommand('local.snapshot.list', {
    load: async () => (await import('./snapshots.ts')).listSnapshots,
  }),
  defineLocalCommand('local.snapshot.diff', {
    load: async () => (await import('./snapshot-diff.ts')).diffSnapshot,
  }),
  defineLocalCommand('local.snapshot.remove', {
    isSilent: true,
    load: async () => (await import('./snapshots.ts')).removeSnapshot,
  }),
  defineLocalCommand('local.deliveries.list', {
    options: [{ flags: '--watch', description: 'print deliveries as they change, until Ctrl-C' }],
    load: async () => (await import('./deliveries.ts')).listLocalDeliveries,
  }),
  defineLocalCommand('local.deliveries.show', {
    load: async () => (await import('./deliveries.ts')).showLocalDeliveries,
  }),
  defineLocalCommand('local.deliveries.retry', {
    hasAlternative: true,
    options: [
      { flags: '--failed', description: 'retry all deliveries whose last attempt failed' },
      ...deliveryFilterOptions(),
    ],
    load: async () => (await import('./retry-deliveries.ts')).retryLocalDeliveries,
  }),
  defineClockCommand('local.clock.show'),
  defineLocalCommand('local.clock.advance', {
    load: async () => (await import('./clock.ts')).advanceClock,
  }),
  defineClockCommand('local.clock.set'),
  defineClockCommand('local.clock.freeze'),
  defineClockCommand('local.clock.run'),
  defineClockCommand('local.clock.reset'),
  defineLocalCommand('local.faults.add', {
    load: async () => (await import('./faults.ts')).addLocalFault,
  }),
  defineLocalCommand('local.faults.list', {
    load: async () => (await import('./faults.ts')).listLocalFaults,
  }),
  defineLocalCommand('local.faults.clear', {
    isSilent: true,
    load: async () => (await import('./faults.ts')).clearLocalFaults,
  }),
  defineLocalCommand('local.requests.list', {
    options: [
      { flags: '--watch', description: 'show new requests until Ctrl-C' },
      {
        flags: '--har <file>',
        description: 'write an HTTP archive (HAR) to this file instead of printing a table',
        file: 'har',
      },
      FORCE_FLAG,
    ],
    load: async () => (await import('./requests.ts')).listLocalRequests,
  }),
  defineLocalCommand('local.requests.show', {
    load: async () => (await import('./requests.ts')).showLocalRequests,
  }),
  {
    command: ['local', 'requests', 'tail'],
    globalFlags: ['local'],
    summary: 'Print requests to svc serve as they arrive',
    examples: { 'svc local requests tail -o ndjson': 'print each request as a line of JSON' },
    options: filterOptions(),
    load: async () => (await import('./requests.ts')).tailLocalRequests,
  },
  defineLocalCommand('local.requests.wait', {
    load: async () => (await import('./requests.ts')).waitForLocalRequests,
  }),
  defineLocalCommand('local.list', {
    options: [{ flags: '--watch', description: 'show new and changed records until Ctrl-C' }],
    hasEnvelope: true,
    load: async () => (await import('./records.ts')).listLocalRecords,
  }),
  defineLocalCommand('local.show', {
    load: async () => (await import('./records.ts')).showLocalRecord,
  }),
  defineLocalCommand('local.explain', {
    hasAlternative: true,
    options: [{ flags: '--cases <file>', description: 'YAML or JSON file with access tests' }],
    load: async () => (await import('./explain.ts')).explainLocalAccess,
  }),
];

export const LOCAL_COMMANDS = [
  ...OWN_COMMANDS,
  ...adminEntries
    .filter(({ name, command }) => name !== 'local.faults.set' && !isOwn(command))
    .map(({ name }) => defineLocalCommand(name)),
];

function isOwn(words: readonly string[]): boolean {
  return OWN_COMMANDS.some(({ command }) => command.join() === words.join());
}

/** The flags of `svc local requests wait` that select requests. */
function filterOptions(): readonly OptionDefinition[] {
  const { options = [] } = defineLocalCommand('local.requests.wait');
  return options.filter((option) => longName(option) === 'on');
}

/** The flags of `svc local deliveries list` that select failed deliveries. */
function deliveryFilterOptions(): readonly OptionDefinition[] {
  const { options = [] } = defineLocalCommand('local.deliveries.list');
  return options
    .filter((option) => longName(option) !== 'limit')
    .map((option) =>
      longName(option) === 'state' ? { ...option, choices: [...FAILED_STATES] } : option,
    );
}

function defineClockCommand(name: ClockCommand): CommandDefinition {
  return defineLocalCommand(name, {
    load: async () => (await import('./clock.ts')).createClockCommand(name),
  });
}

/** Parts of a command that its operation does not define. */
interface Additions extends Partial<Pick<CommandDefinition, 'options' | 'load'>> {
  /** The command prints no result. */
  readonly isSilent?: true;
  /** Flags can replace the arguments and the required flags. */
  readonly hasAlternative?: true;
  /** Whether the command prints the envelope of a list command on request. */
  readonly hasEnvelope?: true;
}

/** Derives the command of an operation. */
function defineLocalCommand(
  name: AdminOperationName,
  { options = [], load, isSilent, hasAlternative, hasEnvelope }: Additions = {},
): CommandDefinition {
  const entry = getAdminEntry(name);
  const { command, summary, description, examples, columns, effect } = entry;
  const limit = entry.flags.find((flag) => flag.name === 'limit');
  const isList = command.at(-1) === 'list' && effect === 'read';
  const flags = entry.flags
    .filter((flag) => flag !== limit)
    .map((flag) => ({ ...flag, required: flag.required && !hasAlternative }));
  return {
    command,
    summary,
    ...optionalProperty('description', description),
    ...optionalProperty('examples', examples),
    ...optionalProperty('columns', columns),
    ...(isList && { listEnd: limit ? DEFAULT_LIMIT : 'complete' }),
    globalFlags: [
      'local',
      ...(isSilent ? [] : (['result'] as const)),
      ...(hasEnvelope ? (['envelope'] as const) : []),
      ...(effect === 'read' ? [] : (['dry-run'] as const)),
    ],
    arguments: entry.arguments.map((operand) => ({
      name: operand.name,
      description: operand.description,
      required: !hasAlternative,
      ...optionalProperty('many', operand.many),
    })),
    options: [...flags.flatMap((flag) => createFlagDefinitions(flag)), ...options],
    load: load ?? (async () => (await import('./operation.ts')).createLocalCommand(name)),
  };
}
