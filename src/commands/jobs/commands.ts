import { RESUME_THROUGHPUT_FLAGS } from '../bulk/throughput-flags.ts';
import { type CommandDefinition, defineCommand } from '../definition.ts';
import { JOB_COLUMNS } from './columns.ts';

const JOB = {
  name: 'id',
  description: 'job ID, as listed by svc jobs list',
  required: true,
} as const;

export const JOB_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['jobs', 'list'],
    globalFlags: ['result'],
    summary: 'List running, stopped, and finished jobs',
    description:
      'Each bulk command with --file is a job. Up to 100 finished jobs are kept for 30 days. Stopped jobs are kept until they are resumed or removed.',
    examples: { 'svc jobs list --watch': 'show changes until no job is running' },
    options: [{ flags: '--watch', description: 'show changes until no job is running' }],
    columns: JOB_COLUMNS,
    load: async () => (await import('./list.ts')).listJobs,
  }),
  {
    command: ['jobs', 'watch'],
    globalFlags: ['result'],
    summary: 'Show the progress of a running job until it ends',
    description:
      'Prints the summary at the end, and exits with the exit code of the job. For a finished job, prints the summary at once. Ctrl-C stops the display, but not the job.',
    examples: { 'svc jobs watch 20260131-094500-5f3a9c': 'wait for a job in another terminal' },
    arguments: [JOB],
    load: async () => (await import('./watch.ts')).watchJob,
  },
  {
    command: ['jobs', 'show'],
    globalFlags: ['result'],
    summary: 'Show the input, target, counts, and times of a job',
    examples: { 'svc jobs show 20260131-094500-5f3a9c -o json': 'print the receipt as JSON' },
    arguments: [JOB],
    load: async () => (await import('./show.ts')).showJob,
  },
  defineCommand({
    command: ['jobs', 'report'],
    globalFlags: [],
    summary: 'Write a shareable HTML report of a job',
    description:
      'Writes one self-contained HTML file without scripts: throughput, latency, failure reasons, and the receipt. Never overwrites a file.',
    examples: {
      'svc jobs report 20260131-094500-5f3a9c --html':
        'write 20260131-094500-5f3a9c.html to the current folder',
      'svc jobs report 20260131-094500-5f3a9c --html --file - > report.html': 'write to stdout',
    },
    arguments: [JOB],
    options: [
      { flags: '--html', description: 'write HTML', required: true },
      {
        flags: '--file <path>',
        description: "output file, or '-' for stdout (default: <id>.html)",
      },
    ],
    load: async () => (await import('./report.ts')).reportJob,
  }),
  defineCommand({
    command: ['jobs', 'resume'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Resume a stopped or killed job',
    description:
      'Sends the records without a recorded outcome to the same service with the same flags, and prints a summary of the whole job. The input must be unchanged. Without an ID, resumes the only stopped job, or prompts for one. Flags given here apply to this run only. Requests of unknown outcome are sent again unchanged, regardless of --batch-size.',
    examples: {
      'svc jobs resume 20260131-094500-5f3a9c': 'send the remaining records',
      'svc jobs resume 20260131-094500-5f3a9c --rate 50/s --concurrency 1':
        'resume at a lower rate',
    },
    arguments: [{ ...JOB, description: 'job ID (default: the only stopped job)', required: false }],
    options: RESUME_THROUGHPUT_FLAGS,
    load: async () => (await import('./resume.ts')).resumeJob,
  }),
  {
    command: ['jobs', 'remove'],
    globalFlags: [],
    summary: 'Remove jobs from the list without undoing their writes',
    arguments: [{ ...JOB, description: 'job IDs', many: true }],
    load: async () => (await import('./remove.ts')).removeJobs,
  },
];
