import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, moveOver } from '../../kernel/files.ts';
import { withoutExperimentalWarning } from '../../kernel/io.ts';

/** Marks a file as a journal of svc (`SVCJ`), and which form of it. */
const APPLICATION_ID = 0x5356434a;
const VERSION = 2;

/** Milliseconds to wait for a process that looks at the journal of a running job. */
const PATIENCE = 2_000;

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

/** Keeps a journal in memory, for a run that is too short to be resumed. */
export const IN_MEMORY = ':memory:';

/**
 * Makes a journal, which only its owner can read (0600). It is there as a whole, with what `fill` puts in, or not at all.
 *
 * Commits are not flushed to the disk (`synchronous = normal`). That is enough for a process that is killed: its writes
 * are with the operating system. Flushing every commit made a job of 100,000 records take 4 to 9 seconds instead of 1 to 3
 * on an ordinary virtual disk, so only some commits are flushed: see `flushedToDisk`.
 */
export async function createDatabase(path: string, fill: (database: DatabaseSync) => void): Promise<DatabaseSync> {
  const prepare = (database: DatabaseSync) => {
    database.exec(`pragma journal_mode = wal; begin; ${SCHEMA}`);
    fill(database);
    database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${VERSION}; commit`);
  };
  if (path === IN_MEMORY) return opened(path, prepare);
  const unfinished = `${path}.new`;
  try {
    await (await open(unfinished, 'wx', 0o600)).close();
    (await opened(unfinished, prepare)).close();
    await moveOver(unfinished, path);
  } catch (error) {
    throw journalError(path, error);
  }
  return openDatabase(path);
}

/** Opens a journal that exists. @throws SvcError `local` when it is damaged, or of a newer svc. */
export async function openDatabase(path: string): Promise<DatabaseSync> {
  try {
    await (await open(path, 'r+')).close();
    return await opened(path, (database) => {
      database.exec('pragma synchronous = normal');
      if (pragma(database, 'application_id') !== APPLICATION_ID) throw damaged(path);
      if (pragma(database, 'user_version') !== VERSION) {
        throw new SvcError('local', `the journal ${path} was written by another version of svc`, {
          hint: 'use the version that began the job',
        });
      }
    });
  } catch (error) {
    throw journalError(path, error);
  }
}

/**
 * Runs a step whose commit is flushed to the disk, and with it every commit before. A crash of the machine then loses only
 * later commits, never an earlier one without them.
 */
export function flushedToDisk(database: DatabaseSync, step: () => void): void {
  database.exec('pragma synchronous = full');
  try {
    step();
  } finally {
    database.exec('pragma synchronous = normal');
  }
}

/** @throws SvcError `local` when the file as a whole is not in order. */
export function checkStructure(database: DatabaseSync, path: string): void {
  try {
    const [row] = database.prepare('pragma quick_check(1)').all();
    if (row?.['quick_check'] === 'ok') return;
  } catch (error) {
    throw journalError(path, error);
  }
  throw damaged(path);
}

async function opened(path: string, prepare: (database: DatabaseSync) => void): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  const database = new DatabaseSync(path, { timeout: PATIENCE });
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

/** What SQLite's result codes say of a file; the lowest byte is the kind. */
const REASONS = new Map([
  [8, 'the file system is read-only'],
  [10, 'it could not be read or written; is the disk full?'],
  [13, 'the disk is full'],
  [14, 'it cannot be opened'],
]);
const DAMAGED: readonly number[] = [11, 26];

/** The error for a journal that could not be used: exit 12, with its path. */
export function journalError(path: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) {
    return localFileError('use the journal', path, error);
  }
  const kind = error.errcode & 0xff;
  if (DAMAGED.includes(kind)) return damaged(path, error);
  const reason = REASONS.get(kind) ?? error.message;
  return new SvcError('local', `cannot use the journal ${path}: ${reason}`, { cause: error });
}

export function damaged(path: string, cause?: unknown): SvcError {
  return new SvcError('local', `the journal ${path} is damaged; nothing was sent`, {
    hint: 'it cannot tell what was sent: run the command itself again, on what the service lacks',
    cause,
  });
}
