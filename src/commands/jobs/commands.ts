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
    command: ['jobs', 'resume'],
    summary: 'Go on with a job that stopped or was killed',
    description:
      'Sends what has no recorded outcome, to the same service and with the same flags, and sums up the whole job. The input has to be as it was.',
    examples: [{ command: 'svc jobs resume 20260131-094500-5f3a9c', does: 'send the rest' }],
    arguments: [JOB],
    load: async () => (await import('./resume.ts')).resumeJob,
  },
  {
    command: ['jobs', 'remove'],
    summary: 'Remove jobs; what was sent stays sent',
    arguments: [{ ...JOB, describes: 'jobs', many: true }],
    load: async () => (await import('./remove.ts')).removeJobs,
  },
];
