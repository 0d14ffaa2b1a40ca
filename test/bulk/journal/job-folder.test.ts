import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JobDescription } from '../../../src/bulk/journal/job-description.ts';
import {
  createJobFolder,
  createJobName,
  findJob,
  lockJob,
  markStarted,
  pruneJobs,
  readJobState,
  removeJob,
} from '../../../src/bulk/journal/job-folder.ts';
import { Journal } from '../../../src/bulk/journal/journal.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { SLOW } from '../../slow.ts';
import { createUserFolders } from '../../temporary-folder.ts';

const NOW = Date.UTC(2026, 5, 30, 12);
const AT_NOON: Clock = { ...systemClock, now: () => NOW };
const nameOf = (day: string, number: number) =>
  `${day}-120000-${number.toString(16).padStart(6, '0')}`;

async function begin(folders: Folders, job: string, done: boolean) {
  const folder = await createJobFolder(folders, job);
  const journal = await Journal.create({ job } as JobDescription, folder.journal);
  if (done) journal.setFact('done', { rejects: null });
  journal.flush();
  return { folder, journal };
}

it('sorts the names of jobs by the millisecond at which they start', () => {
  const times = fc.tuple(
    fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true }),
    fc.nat(5_000),
  );
  fc.assert(
    fc.property(times, ([date, milliseconds]) => {
      const [one = '', other = ''] = [date.getTime(), date.getTime() + milliseconds + 1].map(
        createJobName,
      );
      expect(one).toMatch(/^\d{8}-\d{6}-[\da-f]{6}$/);
      expect(one < other).toBe(true);
    }),
  );
});

describe('pruning', () => {
  it(
    'deletes finished jobs that are old or too many, and never a resumable job',
    SLOW,
    async () => {
      const folders = await createUserFolders();
      const jobs: readonly (readonly [string, boolean])[] = [
        [nameOf('20260101', 1), true],
        [nameOf('20260102', 2), false],
        ...Array.from({ length: 102 }, (_, at) => [nameOf('20260629', at), true] as const),
      ];
      for (const [job, done] of jobs) (await begin(folders, job, done)).journal.close();
      const unborn = await createJobFolder(folders, nameOf('20260628', 9));
      await writeFile(unborn.spool, 'half an input');
      const lost = await begin(folders, nameOf('20260103', 3), false);
      lost.journal.close();
      await markStarted(lost.folder);
      await rm(lost.folder.journal);
      await pruneJobs(folders, AT_NOON);
      const left = await readdir(join(folders.state, 'jobs'));
      expect(left).toHaveLength(102);
      expect(left).toContain(nameOf('20260102', 2));
      expect(left, 'a lost journal is kept for its owner to see').toContain(nameOf('20260103', 3));
      expect(left).not.toContain(nameOf('20260101', 1));
      expect(left).not.toContain(nameOf('20260628', 9));
      expect(left).not.toContain(nameOf('20260629', 0));
    },
  );
});

describe('the lock of a job', () => {
  it('is visible to other processes, excludes them, and ends with its owner', async () => {
    const folders = await createUserFolders();
    const { folder, journal } = await begin(folders, nameOf('20260629', 1), false);
    expect(await readJobState(folder, journal)).toBe('stopped');
    const release = await lockJob(folder, systemClock);
    expect(await readJobState(folder, journal)).toBe('running');
    for (const attempt of [
      () => lockJob(folder, systemClock),
      () => removeJob(folder, systemClock),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        failure: 'locked',
        message: `process ${process.pid} is running job ${folder.job}`,
      });
    }
    release();
    expect(await readJobState(folder, journal)).toBe('stopped');
    journal.setFact('done', { rejects: null });
    journal.flush();
    expect(await readJobState(folder, journal)).toBe('done');
    journal.close();
    await removeJob(folder, systemClock);
    await expect(findJob(folders, folder.job)).rejects.toMatchObject({ failure: 'usage' });
  });
});

/** Files at or below a path that this process has open, on Linux. */
async function openAt(path: string): Promise<readonly string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')),
  );
  return targets.filter((target) => target === path || target.startsWith(`${path}/`));
}

it.runIf(process.platform === 'linux')(
  'a job can be deleted on systems that do not delete open files, such as Windows',
  async () => {
    const folders = await createUserFolders();
    const { folder, journal } = await begin(folders, nameOf('20260629', 1), true);
    journal.close();
    const taken: string[] = [];
    await removeJob(folder, systemClock, async (path, options) => {
      const held = await openAt(path);
      if (held.length > 0) throw Object.assign(new Error(`${held} is open`), { code: 'EBUSY' });
      taken.push(path);
      await rm(path, options);
    });
    expect(taken.at(-1)).toBe(folder.path);
    expect(await readdir(join(folders.state, 'jobs'))).toEqual([]);
  },
);
