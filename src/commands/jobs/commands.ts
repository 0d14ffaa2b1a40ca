import { REJECTS_FLAG, RESUME_THROUGHPUT_FLAGS } from '../bulk/bulk-flags.ts';
import { type CommandDefinition, defineCommand, type OptionDefinition } from '../definition.ts';
import { FORCE_FLAG } from '../options.ts';
import { JOB_COLUMNS } from './columns.ts';

const JOB = {
  name: 'id',
  description: 'job ID, as listed by svc jobs list',
  required: true,
} as const;

const RESUME_FLAGS = [
  ...RESUME_THROUGHPUT_FLAGS,
  { ...REJECTS_FLAG, description: 'file for failed records (default: as before)' },
] as const satisfies readonly OptionDefinition[];

export const JOB_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['open'],
    globalFlags: ['local'],
    summary: 'Open the inspector or the last report in a browser',
    description:
      'Opens the inspector of the latest svc serve --ui that runs on this machine, or of the one with the store that --store names. If no server is running, opens the report of the last job, except with --store. Uses the browser in BROWSER, or the default browser of the system.',
    examples: { 'svc open': 'open the inspector of the running server' },
    load: async () => (await import('./open.ts')).openInBrowser,
  },
  defineCommand({
    command: ['jobs', 'list'],
    globalFlags: ['result'],
    summary: 'List running, stopped, and finished jobs',
    description:
      'Each bulk command with --file is a job. Up to 100 finished jobs are kept for 30 days. Stopped jobs are kept until they are resumed or removed.',
    examples: { 'svc jobs list --watch': 'show changes until no job is running' },
    options: [{ flags: '--watch', description: 'show changes until no job is running' }],
    columns: JOB_COLUMNS,
    listEnd: 'complete',
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
  defineCommand({
    command: ['jobs', 'show'],
    globalFlags: ['result'],
    summary: 'Show the input, target, counts, and times of a job',
    description:
      'With --html, writes one self-contained page without scripts to share: result, organizations, failures, and throughput. Replaces only a page of a job.',
    examples: {
      'svc jobs show': 'show the last job',
      'svc jobs show 20260131-094500-5f3a9c -o json': 'print the receipt as JSON',
      'svc jobs show --html': 'write the page of the last job to the current folder',
      'svc jobs show 20260131-094500-5f3a9c --html --file - > report.html':
        'write the page to stdout',
    },
    arguments: [{ ...JOB, description: 'job ID (default: the last job)', required: false }],
    options: [
      { flags: '--html', description: 'write a page for browsers' },
      {
        flags: '--file <path>',
        description: "output file of --html, or '-' for stdout (default: <id>.html)",
        file: 'report',
      },
      FORCE_FLAG,
    ],
    load: async () => (await import('./show.ts')).showJob,
  }),
  defineCommand({
    command: ['jobs', 'report'],
    // Scripts of earlier versions use this name of svc jobs show --html.
    isHidden: true,
    globalFlags: [],
    summary: 'Write a page about a job',
    arguments: [JOB],
    options: [
      { flags: '--html', description: 'write a page for browsers', required: true },
      {
        flags: '--file <path>',
        description: "output file, or '-' for stdout (default: <id>.html)",
        file: 'report',
      },
      FORCE_FLAG,
    ],
    load: async () => (await import('./report/write-report.ts')).reportJob,
  }),
  defineCommand({
    command: ['jobs', 'resume'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Resume a stopped or killed job',
    description:
      'Sends the records without a recorded outcome to the same service with the same flags, and prints a summary of the whole job. The input must be unchanged. Without an ID, resumes the only stopped job, or prompts for one. Throughput flags apply to this run only, and --rejects also to later ones. Requests of unknown outcome are sent again unchanged, regardless of --batch-size.',
    examples: {
      'svc jobs resume 20260131-094500-5f3a9c': 'send the remaining records',
      'svc jobs resume 20260131-094500-5f3a9c --rate 50/s --concurrency 1':
        'resume at a lower rate',
    },
    arguments: [{ ...JOB, description: 'job ID (default: the only stopped job)', required: false }],
    options: RESUME_FLAGS,
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
