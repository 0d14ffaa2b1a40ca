import { RESUMED_PACE_FLAGS } from '../bulk/pace.ts';
import type { CommandDefinition } from '../definition.ts';

const JOB = { name: 'id', describes: 'a job, as svc jobs list shows it', required: true } as const;

/** The commands about runs over many records. */
export const JOB_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['jobs', 'list'],
    summary: 'List the jobs: what runs, what stopped, what is done',
    description:
      'Each run over the records of a file is a job. Finished jobs are kept for 30 days, and at most 100 of them; jobs that stopped stay until they are resumed or removed.',
    load: async () => (await import('./list.ts')).listJobs,
  },
  {
    command: ['jobs', 'show'],
    summary: 'Show a job: its input, target, counts and times',
    examples: [{ command: 'svc jobs show 20260131-094500-5f3a9c -o json', does: 'its receipt' }],
    arguments: [JOB],
    load: async () => (await import('./show.ts')).showJob,
  },
  {
    command: ['jobs', 'report'],
    summary: 'Write the report of a job as a page to send to a colleague',
    description:
      'One HTML file that needs nothing else, with no script in it: how fast the job went and how long answers took, why records failed, and the receipt. It is never written over another file.',
    examples: [
      { command: 'svc jobs report 20260131-094500-5f3a9c --html', does: 'write 20260131-094500-5f3a9c.html here' },
      { command: 'svc jobs report 20260131-094500-5f3a9c --html --file - > report.html', does: 'to stdout' },
    ],
    arguments: [JOB],
    options: [
      { flags: '--html', describes: 'as a page of HTML' },
      { flags: '--file <path>', describes: "where it goes (<id>.html); '-' is stdout" },
    ],
    load: async () => (await import('./report/report.ts')).reportJob,
  },
  {
    command: ['jobs', 'resume'],
    summary: 'Go on with a job that stopped or was killed',
    description:
      'Sends what has no recorded outcome, to the same service and with the same flags, and sums up the whole job. The input has to be as it was. Other flags here hold for this run; a request without an outcome is sent again as it was, whatever --batch-size says.',
    examples: [
      { command: 'svc jobs resume 20260131-094500-5f3a9c', does: 'send the rest' },
      { command: 'svc jobs resume 20260131-094500-5f3a9c --rate 50/s --concurrency 1', does: 'gently' },
    ],
    arguments: [JOB],
    options: RESUMED_PACE_FLAGS,
    load: async () => (await import('./resume.ts')).resumeJob,
  },
  {
    command: ['jobs', 'remove'],
    summary: 'Remove jobs; what was sent stays sent',
    arguments: [{ ...JOB, describes: 'jobs', many: true }],
    load: async () => (await import('./remove.ts')).removeJobs,
  },
];
