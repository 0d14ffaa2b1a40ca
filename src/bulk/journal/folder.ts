import { randomBytes } from 'node:crypto';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { localFileError, privateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { hint, step } from '../../kernel/hint.ts';
import { acquireLock, isLocked } from '../../kernel/lock.ts';
import { nearest } from '../../kernel/nearest.ts';
import { Journal } from './journal.ts';

/** The files of a job, in a folder of its own that only its owner can enter. */
export interface JobFolder {
  readonly job: string;
  readonly path: string;
  readonly journal: string;
  readonly lock: string;
  /** A file that is there until the journal is about to be created. */
  readonly unbegun: string;
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
  await writeFile(folder.unbegun, '', { mode: 0o600 }).catch((error: unknown) => {
    throw localFileError('write', folder.unbegun, error);
  });
  return folder;
}

/** Records that the job is about to send: from now on a journal that is not there has been lost. */
export async function markBegun({ unbegun }: JobFolder): Promise<void> {
  await rm(unbegun, { force: true }).catch((error: unknown) => {
    throw localFileError('remove', unbegun, error);
  });
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

/**
 * Makes this process the one that runs a job.
 * @returns a function that releases the job
 * @throws SvcError `locked` with the owner's process ID
 */
export function lockJob({ lock, job }: JobFolder, clock: Clock): Promise<() => void> {
  const refusal = (owner: string) =>
    new SvcError('locked', `${owner} is running job ${job}`, {
      hint: hint`wait for it, or stop that process; ${step('inspect', 'jobs', 'show', job)} shows its progress`,
    });
  return acquireLock(lock, { clock, refusal });
}

/** Whether the job ended, or still is, before anything of it could be sent. */
export async function isUnbegun({ journal, unbegun }: JobFolder): Promise<boolean> {
  return (await exists(unbegun)) && !(await exists(journal));
}

/**
 * Opens the journal of a job.
 * @throws SvcError `usage` for a job of which nothing was sent, `local` for a journal that is missing or damaged
 */
export async function openJournal(folder: JobFolder): Promise<Journal> {
  if (await exists(folder.journal)) return Journal.open(folder.journal);
  if (await exists(folder.unbegun)) {
    throw new SvcError('usage', `nothing of job ${folder.job} was sent: its input has not been read to the end`, {
      hint: 'run the command itself again',
    });
  }
  throw new SvcError('local', `the journal of job ${folder.job} is missing: ${folder.journal}`, {
    hint: 'only the journal knows what was sent: restore the file, or run the command again for the records that the service lacks',
  });
}

/** A file that cannot be looked at counts as one that is there, so that opening it says why. */
function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => systemErrorCode(error) !== 'ENOENT',
  );
}

/**
 * Takes a job's files away: the lock last and once it is given back, because Windows removes no file that is open.
 * @throws SvcError `locked` while a process runs it
 */
export async function removeJob(folder: JobFolder, clock: Clock, remove: Removal = rm): Promise<void> {
  const release = await lockJob(folder, clock);
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
export async function pruneJobs(folders: Folders, clock: Clock): Promise<void> {
  const now = clock.now();
  const names = await jobNames(folders);
  const isOld = (name: string, days: number) => beginning(name) < now - days * 86_400_000;
  for (const [at, name] of names.entries()) {
    const folder = jobFolder(folders, name);
    const tooMany = at >= KEPT_JOBS || isOld(name, KEPT_DAYS);
    if ((tooMany && (await isDone(folder))) || (isOld(name, 1) && (await isUnbegun(folder)))) {
      // What is in use, or cannot be removed, stays until the next time.
      await removeJob(folder, clock).catch(() => undefined);
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
    unbegun: join(path, 'unbegun'),
    spool: join(path, 'input'),
  };
}
