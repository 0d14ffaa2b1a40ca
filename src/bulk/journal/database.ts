import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import { withoutExperimentalWarning } from '../../kernel/process.ts';
import { flush, moveReplacing } from '../../kernel/staged-file.ts';

/** Identifies a file as a journal of svc (`SVCJ`), and its version. */
const APPLICATION_ID = 0x5356434a;
const VERSION = 2;
/** Maximum wait, in milliseconds, while another process reads the journal of a running job. */
const BUSY_TIMEOUT = 2_000;

const SCHEMA = `
  create table fact (name text primary key, value text not null, crc integer not null) strict, without rowid;
  create table flight (
    first integer primary key, last integer not null, count integer not null, settled integer not null,
    sends integer not null, requests integer not null, retries integer not null, crc integer not null
  ) strict;
  create table item (
    at integer primary key, id text not null, line integer, status text not null, message text, code text,
    crc integer not null
  ) strict;
`;

export const IN_MEMORY = ':memory:';

/**
 * Creates a journal that only its owner can read (0600), atomically with the initial content that
 * `fill` writes.
 *
 * Commits survive a killed process, but are not flushed to disk (`synchronous = normal`). Flushing
 * every commit made a job of 100,000 records take 4 to 9 seconds instead of 1 to 3 on an ordinary
 * virtual disk, so svc flushes only some commits: see `withFlush`.
 */
export async function createJournalDatabase(
  path: string,
  fill: (database: DatabaseSync) => void,
): Promise<DatabaseSync> {
  const prepare = (database: DatabaseSync) => {
    database.exec(`pragma synchronous = off; pragma journal_mode = wal; begin; ${SCHEMA}`);
    fill(database);
    database.exec(
      `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${VERSION}; commit`,
    );
  };
  if (path === IN_MEMORY) return openPrepared(path, prepare);
  const unfinished = `${path}.new`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      (await openPrepared(unfinished, prepare)).close();
      // One flush of the whole file, instead of SQLite's nine.
      await flush(file);
    } finally {
      await file.close();
    }
    await moveReplacing(unfinished, path);
  } catch (error) {
    throw createJournalError(path, error);
  }
  return openJournalDatabase(path);
}

/**
 * Opens an existing journal.
 * @throws SvcError `local` if it is damaged or from another version of svc
 */
export async function openJournalDatabase(path: string): Promise<DatabaseSync> {
  try {
    await (await open(path, 'r+')).close();
    return await openPrepared(path, (database) => {
      database.exec('pragma synchronous = normal');
      if (pragma(database, 'application_id') !== APPLICATION_ID) throw createDamagedError(path);
      if (pragma(database, 'user_version') !== VERSION) {
        throw new SvcError('local', `the journal ${path} was written by another version of svc`, {
          hint: 'use the svc version that started the job',
        });
      }
    });
  } catch (error) {
    throw createJournalError(path, error);
  }
}

/**
 * Runs a step and flushes its commit and all earlier ones to disk. A machine crash then loses only
 * later commits.
 */
export function withFlush(database: DatabaseSync, step: () => void): void {
  database.exec('pragma synchronous = full');
  try {
    step();
  } finally {
    database.exec('pragma synchronous = normal');
  }
}

/** @throws SvcError `local` if the structure of the file is damaged */
export function checkStructure(database: DatabaseSync, path: string): void {
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    if (row?.['quick_check'] === 'ok') return;
  } catch (error) {
    throw createJournalError(path, error);
  }
  throw createDamagedError(path);
}

async function openPrepared(
  path: string,
  prepare: (database: DatabaseSync) => void,
): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
  try {
    prepare(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return database.prepare(`pragma ${name}`).get()?.[name];
}

/** Messages by SQLite's primary result code, the lowest byte. */
const REASONS = new Map([
  [8, 'the file system is read-only'],
  [10, 'read or write error; the disk may be full'],
  [13, 'the disk is full'],
  [14, 'the file cannot be opened'],
]);
const DAMAGE_CODES: readonly number[] = [11, 26];

export function createJournalError(path: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'))
    return createLocalFileError('use the journal', path, error);
  const kind = error.errcode & 0xff;
  if (DAMAGE_CODES.includes(kind)) return createDamagedError(path, error);
  const reason = REASONS.get(kind) ?? error.message;
  return new SvcError('local', `cannot use the journal ${path}: ${reason}`, { cause: error });
}

export function createDamagedError(path: string, cause?: unknown): SvcError {
  return new SvcError('local', `the journal ${path} is damaged; nothing was sent`, {
    hint: 'svc cannot determine which records were sent: import the missing records as a new job',
    cause,
  });
}
