import { randomBytes } from 'node:crypto';
import { access, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { localFileError, privateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { hint, step } from '../../kernel/hint.ts';
import { nearest } from '../../kernel/nearest.ts';
import { Journal } from './journal.ts';
import { isLocked, lockJob } from './lock.ts';

/** The files of a job, in a folder of its own that only its owner can enter. */
export interface JobFolder {
  readonly job: string;
  readonly path: string;
  readonly journal: string;
  readonly lock: string;
  /** The copy of an input that cannot be read twice. */
  readonly spool: string;
}

/** Finished jobs are kept this long, and this many of them. */
const KEPT_DAYS = 30;
const KEPT_JOBS = 100;

/** What a job is named: the moment at which it began, and what tells it from others of that moment. */
const NAME = /^(\d{4})(\d\d)(\d\d)-\d{6}-[\da-f]{6}$/;

/** A name for a job that sorts by when it began: `20260131-094500-5f3a9c`. */
export function jobName(now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split(/[T.]/);
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${randomBytes(3).toString('hex')}`;
}

export async function createJobFolder(folders: Folders, job: string): Promise<JobFolder> {
  const folder = jobFolder(folders, job);
  await privateFolder(jobsFolder(folders));
  await privateFolder(folder.path);
  return folder;
}

/** The names of all jobs, the newest first. */
export async function jobNames(folders: Folders): Promise<readonly string[]> {
  const path = jobsFolder(folders);
  try {
    return (await readdir(path)).filter((name) => NAME.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw localFileError('read', path, error);
  }
}

/** @throws SvcError `usage` when there is no such job, with the nearest name. */
export async function findJob(folders: Folders, job: string): Promise<JobFolder> {
  const names = await jobNames(folders);
  if (names.includes(job)) return jobFolder(folders, job);
  const near = nearest(job, names);
  throw new SvcError('usage', `there is no job ${job}`, {
    hint: near ? `did you mean ${near}?` : hint`${step('inspect', 'jobs', 'list')} shows them`,
  });
}

/** Whether a process runs the job, it came to its end, or it may go on. */
export async function jobState(folder: JobFolder, journal: Journal): Promise<'running' | 'stopped' | 'done'> {
  if (await isLocked(folder.lock)) return 'running';
  return journal.fact('done') ? 'done' : 'stopped';
}

/** Whether anything of the job was written down: before, there is nothing to know of it. */
export async function isBegun({ journal }: JobFolder): Promise<boolean> {
  return access(journal).then(
    () => true,
    () => false,
  );
}

/**
 * Takes a job's files away: the lock last and once it is given back, because Windows removes no file that is open.
 * @throws SvcError `locked` while a process runs it
 */
export async function removeJob(folder: JobFolder, remove: Removal = rm): Promise<void> {
  const release = await lockJob(folder.lock, folder.job);
  try {
    const others = (await readdir(folder.path)).filter((name) => !name.startsWith(basename(folder.lock)));
    for (const name of others) await remove(join(folder.path, name), ALL_OF_IT);
    release();
    await remove(folder.path, ALL_OF_IT);
  } catch (error) {
    throw localFileError('remove', folder.path, error);
  } finally {
    release();
  }
}

type Removal = (path: string, options: typeof ALL_OF_IT) => Promise<void>;

/** What a virus scanner looks at is removed a moment later. */
const ALL_OF_IT = { recursive: true, force: true, maxRetries: 5 };

/** Removes finished jobs that are over 30 days old or not among the newest 100, and what was never begun. Only those are looked at. */
export async function pruneJobs(folders: Folders, now: number): Promise<void> {
  const names = await jobNames(folders);
  const isOld = (name: string, days: number) => beginning(name) < now - days * 86_400_000;
  for (const [at, name] of names.entries()) {
    const folder = jobFolder(folders, name);
    const tooMany = at >= KEPT_JOBS || isOld(name, KEPT_DAYS);
    if ((tooMany && (await isDone(folder))) || (isOld(name, 1) && !(await isBegun(folder)))) {
      // What is in use, or cannot be removed, stays until the next time.
      await removeJob(folder).catch(() => undefined);
    }
  }
}

async function isDone(folder: JobFolder): Promise<boolean> {
  try {
    const journal = await Journal.open(folder.journal);
    const done = journal.fact('done') !== undefined;
    journal.close();
    return done;
  } catch {
    return false; // a damaged journal is kept for its owner to see
  }
}

/** Midnight before the job began, from its name. */
function beginning(name: string): number {
  const [, year, month, day] = NAME.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function jobsFolder(folders: Folders): string {
  return join(folders.state, 'jobs');
}

/** Where the files of a job are, or would be. */
export function jobFolder(folders: Folders, job: string): JobFolder {
  const path = join(jobsFolder(folders), job);
  return {
    job,
    path,
    journal: join(path, 'journal.sqlite'),
    lock: join(path, 'lock'),
    spool: join(path, 'input'),
  };
}
