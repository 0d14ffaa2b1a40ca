import { randomInt } from 'node:crypto';
import { access, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { type Failure, hint, SvcError, step, systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError, createPrivateFolder, listFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { acquireLock, isLocked } from '../../kernel/lock.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { Journal } from './journal.ts';

/** Paths of a job's files. */
export interface JobFolder {
  readonly job: string;
  readonly path: string;
  readonly journal: string;
  readonly lock: string;
  /** Exists until the job sends its first request. */
  readonly unstarted: string;
  /** A copy of piped input. */
  readonly spool: string;
  /** A copy of records grouped by target. */
  readonly grouped: string;
  readonly beforeImages: string;
  /** Results that wait for the end of the job. */
  readonly results: string;
}
const RETENTION_DAYS = 30;
const DAY = 86_400_000;
const RETAINED_JOBS = 100;
const JOB_NAME = /^(\d{4})(\d\d)(\d\d)-\d{6}-[\da-f]{6}$/;

/** Number of names for the jobs that start in the same millisecond. */
const NAMES = 2 ** 14;

/**
 * Creates a job name that sorts by start time: `20260131-094500-5f3a9c`. Its last part is made of
 * the milliseconds and a random number.
 */
export function createJobName(now: number): string {
  const [date = '', time = ''] = new Date(now).toISOString().split(/[T.]/);
  const last = (now % 1000) * NAMES + randomInt(NAMES);
  return `${date.replaceAll('-', '')}-${time.replaceAll(':', '')}-${last.toString(16).padStart(6, '0')}`;
}

export async function createJobFolder(folders: Folders, job: string): Promise<JobFolder> {
  const folder = jobFolderOf(folders, job);
  await createPrivateFolder(jobsFolder(folders));
  await createPrivateFolder(folder.path);
  await writeFile(folder.unstarted, '', { mode: 0o600 }).catch((error: unknown) => {
    throw createLocalFileError('write', folder.unstarted, error);
  });
  return folder;
}

export async function markStarted({ unstarted }: JobFolder): Promise<void> {
  await rm(unstarted, { force: true }).catch((error: unknown) => {
    throw createLocalFileError('remove', unstarted, error);
  });
}

/** Returns the names of all jobs, newest first. */
export async function listJobNames(folders: Folders): Promise<readonly string[]> {
  const names = await listFolder(jobsFolder(folders));
  return names.filter((name) => JOB_NAME.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/** @throws SvcError of the given kind if the job does not exist, with the nearest name */
export async function findJob(
  folders: Folders,
  job: string,
  failure: Failure = 'usage',
): Promise<JobFolder> {
  const names = await listJobNames(folders);
  if (names.includes(job)) return jobFolderOf(folders, job);
  const nearest = findNearest(job, names);
  throw new SvcError(failure, `job ${job} not found`, {
    hint: nearest
      ? `did you mean ${nearest}?`
      : hint`to list all jobs, run ${step('inspect', 'jobs', 'list')}`,
  });
}

export async function readJobState(
  folder: JobFolder,
  journal: Journal,
): Promise<'running' | 'stopped' | 'done'> {
  if (await isLocked(folder.lock)) return 'running';
  return journal.getFact('done') ? 'done' : 'stopped';
}

/**
 * Locks a job until the returned function is called.
 * @throws SvcError `locked` with the owner's process ID
 */
export function lockJob({ lock, job }: JobFolder, clock: Clock): Promise<() => void> {
  const refusal = (owner: string) =>
    new SvcError('locked', `${owner} is running job ${job}`, {
      hint: hint`wait for the job to finish, or stop that process; to see its progress, run ${step('inspect', 'jobs', 'watch', job)}`,
    });
  return acquireLock(lock, { clock, createError: refusal });
}

/** Whether a process is checking the job's input and has not created its journal yet. */
export async function isBeingChecked({ lock, journal }: JobFolder): Promise<boolean> {
  return !(await exists(journal)) && (await isLocked(lock));
}

export async function isUnstarted({ journal, unstarted }: JobFolder): Promise<boolean> {
  return (await exists(unstarted)) && !(await exists(journal));
}

/**
 * @throws SvcError `usage` for a job that sent nothing, `local` for a missing or damaged journal
 */
export async function openJournal(folder: JobFolder): Promise<Journal> {
  if (await exists(folder.journal)) return Journal.open(folder.journal);
  if (await exists(folder.unstarted))
    throw new SvcError(
      'usage',
      `job ${folder.job} sent nothing: svc did not finish reading its input`,
      { hint: 'try again' },
    );
  throw new SvcError('local', `the journal of job ${folder.job} is missing: ${folder.journal}`, {
    hint: 'restore the file, or import the missing records as a new job',
  });
}

/** Treats an inaccessible file as existing, so that opening it reports the reason. */
function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: unknown) => systemErrorCode(error) !== 'ENOENT',
  );
}

/**
 * Deletes a job's files. The lock file comes last, after its release, because Windows cannot delete
 * open files.
 * @throws SvcError `locked` while another process runs the job
 */
export async function removeJob(
  folder: JobFolder,
  clock: Clock,
  remove: Remove = rm,
): Promise<void> {
  const release = await lockJob(folder, clock);
  try {
    const others = (await readdir(folder.path)).filter(
      (name) => !name.startsWith(basename(folder.lock)),
    );
    for (const name of others) await remove(join(folder.path, name), REMOVE_OPTIONS);
    release();
    await remove(folder.path, REMOVE_OPTIONS);
  } catch (error) {
    throw createLocalFileError('remove', folder.path, error);
  } finally {
    release();
  }
}

type Remove = (path: string, options: typeof REMOVE_OPTIONS) => Promise<void>;
const REMOVE_OPTIONS = { recursive: true, force: true, maxRetries: 5 };

/**
 * Deletes finished jobs older than 30 days or beyond the newest 100, and jobs that never started
 * and are over a day old. Of other jobs older than 30 days, deletes the values that their writes
 * replaced.
 */
export async function pruneJobs(folders: Folders, clock: Clock): Promise<void> {
  const now = clock.now();
  const names = await listJobNames(folders);
  for (const [at, name] of names.entries()) {
    const folder = jobFolderOf(folders, name);
    const tooMany = at >= RETAINED_JOBS || isExpired(name, now);
    if (
      (tooMany && (await isDone(folder))) ||
      (isExpired(name, now, 1) && (await isUnstarted(folder)))
    ) {
      // Keeps a job that is in use or cannot be deleted until the next call.
      await removeJob(folder, clock).catch(() => undefined);
    } else if (isExpired(name, now))
      await rm(folder.beforeImages, { force: true }).catch(() => undefined);
  }
}

async function isDone(folder: JobFolder): Promise<boolean> {
  try {
    const journal = await Journal.open(folder.journal);
    const done = journal.getFact('done') !== undefined;
    journal.close();
    return done;
  } catch {
    return false; // keep a damaged journal for the user to inspect
  }
}

function isExpired(name: string, now: number, days = RETENTION_DAYS): boolean {
  const [, year, month, day] = JOB_NAME.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) < now - days * DAY;
}

function jobsFolder(folders: Folders): string {
  return join(folders.state, 'jobs');
}

export function jobFolderOf(folders: Folders, job: string): JobFolder {
  const path = join(jobsFolder(folders), job);
  return {
    job,
    path,
    journal: join(path, 'journal.sqlite'),
    lock: join(path, 'lock'),
    unstarted: join(path, 'unbegun'),
    spool: join(path, 'input'),
    grouped: join(path, 'grouped.sqlite'),
    beforeImages: join(path, 'before.ndjson'),
    results: join(path, 'results.ndjson'),
  };
}
