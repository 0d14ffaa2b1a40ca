import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobDescription } from '../../../src/bulk/journal/job-description.ts';
import { createJobFolder, jobFolderOf, lockJob } from '../../../src/bulk/journal/job-folder.ts';
import { createLockedFolder, startJob } from '../../../src/commands/bulk/open-job.ts';
import { listJobs } from '../../../src/commands/jobs/list.ts';
import { removeJobs } from '../../../src/commands/jobs/remove.ts';
import { reportJob } from '../../../src/commands/jobs/report/write-report.ts';
import { resumeJob } from '../../../src/commands/jobs/resume.ts';
import { showJob } from '../../../src/commands/jobs/show.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { fakeContext } from '../fake-context.ts';

const READERS = [showJob, resumeJob, reportJob];
const nameOf = (number: number) => `20260131-094500-00000${number}`;

function description(job: string): JobDescription {
  const file = {
    name: 'a.csv',
    path: '/a.csv',
    first: 0,
    spooled: false,
    format: 'csv',
    bytes: 1,
    sha256: '',
  } as const;
  return {
    job,
    operation: 'users.add',
    data: {},
    options: {},
    cwd: '/',
    inputs: [file],
    records: 1,
    leftOut: 0,
    target: { profile: null, origin: '', apiKey: null },
    startedAt: 0,
  };
}

async function failuresOf(job: string, context: Awaited<ReturnType<typeof fakeContext>>) {
  const runs = READERS.map((run) => run(context, { arguments: [job], options: { html: true } }));
  const ended = await Promise.allSettled(runs);
  return ended.map((end) => (end.status === 'rejected' ? end.reason : undefined));
}

describe('a job whose journal was deleted', () => {
  it('is reported by every command, and never as a job that sent nothing', async () => {
    const context = await fakeContext({ options: { output: 'json' } });
    const [lost, whole] = [nameOf(1), nameOf(2)];
    for (const job of [lost, whole]) {
      const place = await createLockedFolder(context, job);
      const { journal } = await startJob(description(job), place);
      journal.close();
      place.release();
    }
    const folder = join(context.folders.state, 'jobs', lost);
    for (const file of await readdir(folder))
      if (file.startsWith('journal')) await rm(join(folder, file));
    for (const error of await failuresOf(lost, context)) {
      expect(error).toMatchObject({
        failure: 'local',
        message: expect.stringContaining(`${lost} is missing`),
      });
    }
    await listJobs(context, { arguments: [], options: {} });
    expect(JSON.parse(context.stdout()).map(({ id }: { id: string }) => id)).toEqual([whole]);
    expect(context.stderr()).toContain(`warning: the journal of job ${lost} is missing`);
  });
});

it('distinguishes a job that ended while reading its input from one with a deleted journal', async () => {
  const context = await fakeContext({ options: { output: 'json' } });
  await createJobFolder(context.folders, nameOf(1));
  for (const error of await failuresOf(nameOf(1), context)) {
    expect(error).toMatchObject({
      failure: 'usage',
      message: expect.stringContaining('sent nothing'),
    });
  }
  await listJobs(context, { arguments: [], options: {} });
  expect([JSON.parse(context.stdout()), context.stderr()]).toEqual([
    [],
    expect.stringContaining('no jobs found'),
  ]);
});

it('removes several jobs except a running one', async () => {
  const context = await fakeContext();
  const jobs = [1, 2, 3].map(nameOf);
  await Promise.all(jobs.map((job) => createJobFolder(context.folders, job)));
  const release = await lockJob(jobFolderOf(context.folders, nameOf(2)), systemClock);
  const removing = removeJobs(context, { arguments: jobs, options: {} });
  await expect(removing).rejects.toMatchObject({
    failure: 'records_failed',
    message: `1 of 3 jobs failed: ${jobs[1]}`,
  });
  expect(context.stderr()).toContain(
    `warning: ${jobs[1]}: process ${process.pid} is running job ${jobs[1]}`,
  );
  expect(await readdir(join(context.folders.state, 'jobs'))).toEqual([jobs[1]]);
  release();
});
