import { readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobDescription } from '../../../src/bulk/journal/description.ts';
import {
  createJobFolder,
  findJob,
  jobState,
  lockJob,
  markBegun,
  pruneJobs,
  removeJob,
} from '../../../src/bulk/journal/folder.ts';
import { Journal } from '../../../src/bulk/journal/journal.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { temporaryFolders } from '../../temporary-folder.ts';

const NOW = Date.UTC(2026, 5, 30, 12);
const AT_NOON: Clock = { ...systemClock, now: () => NOW };
const nameOf = (day: string, number: number) => `${day}-120000-${number.toString(16).padStart(6, '0')}`;

async function begin(folders: Folders, job: string, done: boolean) {
  const folder = await createJobFolder(folders, job);
  const journal = await Journal.create({ job } as JobDescription, folder.journal);
  if (done) journal.note('done', { rejects: null });
  journal.flush();
  return { folder, journal };
}

describe('pruning', () => {
  it('removes what is done and old or one too many, and never what may go on', async () => {
    const folders = await temporaryFolders();
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
    await markBegun(lost.folder);
    await rm(lost.folder.journal);
    await pruneJobs(folders, AT_NOON);
    const left = await readdir(join(folders.state, 'jobs'));
    expect(left).toHaveLength(102);
    expect(left).toContain(nameOf('20260102', 2));
    expect(left, 'a lost journal is kept for its owner to see').toContain(nameOf('20260103', 3));
    expect(left).not.toContain(nameOf('20260101', 1));
    expect(left).not.toContain(nameOf('20260628', 9));
    expect(left).not.toContain(nameOf('20260629', 0));
  });
});

describe('the lock of a job', () => {
  it('is told from outside, keeps others out, and goes with its owner', async () => {
    const folders = await temporaryFolders();
    const { folder, journal } = await begin(folders, nameOf('20260629', 1), false);
    expect(await jobState(folder, journal)).toBe('stopped');
    const release = await lockJob(folder, systemClock);
    expect(await jobState(folder, journal)).toBe('running');
    for (const attempt of [() => lockJob(folder, systemClock), () => removeJob(folder, systemClock)]) {
      await expect(attempt()).rejects.toMatchObject({
        failure: 'locked',
        message: `process ${process.pid} is running job ${folder.job}`,
      });
    }
    release();
    expect(await jobState(folder, journal)).toBe('stopped');
    journal.note('done', { rejects: null });
    journal.flush();
    expect(await jobState(folder, journal)).toBe('done');
    journal.close();
    await removeJob(folder, systemClock);
    await expect(findJob(folders, folder.job)).rejects.toMatchObject({ failure: 'usage' });
  });
});

/** What this process has open, of Linux, at or below a path. */
async function openAt(path: string): Promise<readonly string[]> {
  const names = await readdir('/proc/self/fd');
  const targets = await Promise.all(names.map((name) => readlink(join('/proc/self/fd', name)).catch(() => '')));
  return targets.filter((target) => target === path || target.startsWith(`${path}/`));
}

it.runIf(process.platform === 'linux')('a job is removed where an open file cannot be, as on Windows', async () => {
  const folders = await temporaryFolders();
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
});
