import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { type Clock, monotonicNow } from './clock.ts';
import { SvcError } from './errors.ts';
import { createLocalFileError, createPrivateFile, readTextIfExists } from './files.ts';
import { processId, withoutExperimentalWarning } from './process.ts';

const MAX_PAUSE = 200;
/** Default timeout in milliseconds, longer than `isLocked` can delay a lock. */
const DEFAULT_TIMEOUT = 500;
const [BUSY, CANNOT_OPEN] = [5, 14];
/**
 * References to locked databases: the garbage collector would close them, which releases their
 * locks.
 */
const held = new Set<DatabaseSync>();

export interface LockOptions {
  readonly clock: Clock;
  /**
   * Milliseconds to wait for the owner (default: 500). The wait restarts when another process
   * acquires the lock.
   */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** @param owner `process 4711`, `process 4711 on db-host`, or `another process` */
  readonly createError?: (owner: string) => SvcError;
}

/**
 * Acquires the lock at `path`, a file that is created if necessary (0600) and remains after
 * release. The lock is an exclusive transaction on an empty SQLite database: the operating system
 * ends the transaction with its process, so a killed owner releases its lock at once, and a
 * suspended one keeps it. On NFS, the lock is as reliable as the server's POSIX locks; a mount
 * without them rejects every lock instead of granting it twice.
 * @returns a function that releases the lock; further calls do nothing
 * @throws SvcError `locked` if the lock is not released in time, `local` if the file cannot be used
 */
export async function acquireLock(path: string, options: LockOptions): Promise<() => void> {
  const {
    clock,
    timeout = DEFAULT_TIMEOUT,
    signal,
    createError = (owner) => createLockedError(path, owner),
  } = options;
  await createPrivateFile(path);
  let owner: string | undefined;
  let deadline = monotonicNow(clock) + timeout;
  for (;;) {
    const database = await beginExclusive(path);
    if (database) return claim(path, database);
    const current = await readTextIfExists(ownerPath(path));
    if (owner !== undefined && current !== undefined && current !== owner)
      deadline = monotonicNow(clock) + timeout;
    owner = current ?? owner;
    if (monotonicNow(clock) >= deadline) throw createError(describeOwner(current));
    await clock.sleep(Math.ceil(Math.random() * MAX_PAUSE), signal);
  }
}

export async function withLock<Value>(
  path: string,
  options: LockOptions,
  body: () => Promise<Value>,
): Promise<Value> {
  const release = await acquireLock(path, options);
  try {
    return await body();
  } finally {
    release();
  }
}

export async function isLocked(path: string): Promise<boolean> {
  let database: DatabaseSync | undefined;
  try {
    database = await connect(path, { readOnly: true });
    database.exec('begin; select count(*) from sqlite_schema; rollback');
    return false;
  } catch (error) {
    const code = resultCode(error);
    if (code === BUSY || code === CANNOT_OPEN) return code === BUSY;
    throw createLocalFileError('read', path, error);
  } finally {
    database?.close();
  }
}

async function beginExclusive(path: string): Promise<DatabaseSync | undefined> {
  let database: DatabaseSync | undefined;
  try {
    database = await connect(path, { timeout: 0 });
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database?.close();
    if (resultCode(error) === BUSY) return undefined;
    throw createLocalFileError('lock', path, error);
  }
}

async function claim(path: string, database: DatabaseSync): Promise<() => void> {
  held.add(database);
  const release = () => {
    if (held.delete(database)) database.close();
  };
  try {
    await writeFile(ownerPath(path), JSON.stringify({ pid: processId, host: hostname() }), {
      mode: 0o600,
      flag: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK,
    });
    return release;
  } catch (error) {
    release();
    throw createLocalFileError('lock', path, error);
  }
}

async function connect(path: string, options: DatabaseSyncOptions): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  return new DatabaseSync(path, options);
}

function resultCode(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
}

function createLockedError(path: string, owner: string): SvcError {
  return new SvcError('locked', `${path} is locked by ${owner}`, {
    hint: 'wait for the other process to finish, then try again',
  });
}

function describeOwner(text: string | undefined): string {
  const [, pid, host] = /"pid":(\d+),"host":"([^"]*)"/.exec(text ?? '') ?? [];
  if (pid === undefined) return 'another process';
  return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

function ownerPath(path: string): string {
  return `${path}.owner`;
}
