import { type CommandDefinition, defineCommand } from '../definition.ts';
import { DIFF_FLAGS, PROBE_FLAGS, RECORD_FLAGS } from './flags.ts';

const FILE_ARGUMENT = {
  name: 'file',
  description: 'contract file (default: contract.json)',
  required: false,
  file: 'input',
} as const;

export const CONTRACT_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['contract', 'record'],
    globalFlags: [],
    summary: 'Run a svc command and record the shapes of its exchanges',
    description:
      'Runs the command as usual, and adds the shape of each response to a file: status, error, envelope, and the names and types of fields. Records no values, IDs, names, or free text, so that the file can be committed. Exits with the exit code of the command. To record every command of a script, set SVC_CONTRACT to the file instead.',
    examples: {
      'svc contract record -- folders list --org acme': 'record one command',
    },
    arguments: [
      { name: 'command', description: 'svc command to run, after --', required: true, many: true },
    ],
    options: RECORD_FLAGS,
    load: async () => (await import('./record.ts')).recordCommand,
  }),
  {
    command: ['contract', 'show'],
    globalFlags: ['result'],
    summary: 'Show which operations a contract file covers',
    description:
      'Lists the recorded outcomes of each operation, and the operations that were never recorded.',
    examples: { 'svc contract show': 'show the coverage of contract.json' },
    arguments: [FILE_ARGUMENT],
    load: async () => (await import('./show.ts')).showContract,
  },
  defineCommand({
    command: ['contract', 'diff'],
    globalFlags: ['result'],
    summary: 'Compare recorded responses with the embedded service',
    description:
      'Calls the recorded operations at embedded services in memory, and compares the responses. A finding is another HTTP status, error status, or envelope, a field that the embedded service lacks, or another type. Values and order never count. Lists apart what only the embedded service has, and names everything that was not compared. Exits with 20 if there are findings.',
    examples: {
      'svc contract diff': 'compare contract.json',
      'svc contract diff --known findings.json': 'exit with 20 only for new findings',
    },
    arguments: [FILE_ARGUMENT],
    options: DIFF_FLAGS,
    load: async () => (await import('./diff.ts')).diffContract,
  }),
  defineCommand({
    command: ['contract', 'probe'],
    globalFlags: ['connection'],
    summary: 'Record the shapes of read-only requests to a service',
    description:
      'Lists the requests, at most 60, then sends them and records the shapes of the responses. Reads only: no request can change the service, and none returns a credential. Reads folders and documents only with an organization.',
    examples: { 'svc contract probe -p prod --org acme': 'probe the service of a profile' },
    options: PROBE_FLAGS,
    load: async () => (await import('./probe.ts')).probeCommand,
  }),
];
