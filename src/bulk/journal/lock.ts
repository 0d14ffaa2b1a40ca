import { open } from 'node:fs/promises';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, readTextIfExists } from '../../kernel/files.ts';
import { hint, step } from '../../kernel/hint.ts';
import { processId, withoutExperimentalWarning } from '../../kernel/io.ts';

/** Milliseconds that a look at a lock may take: a run that begins meanwhile waits as long. */
const LOOK = 500;

/** Kept from the garbage collector, which would close the database and with it give back the lock. */
const held = new Set<DatabaseSync>();

/**
 * Makes this process the one that runs a job. What holds the lock is a transaction on an empty database: the system ends
 * it with its process, so that a job whose process was killed can go on at once.
 * @returns a function that gives the lock back, at the first time that it is called
 * @throws SvcError `locked` with the owner's process id
 */
export async function lockJob(path: string, job: string): Promise<() => void> {
  try {
    await (await open(path, 'a', 0o600)).close();
    const database = await exclusive(path);
    if (!database) throw await refusal(path, job);
    held.add(database);
    const owner = await open(ownerPath(path), 'w', 0o600);
    await owner.writeFile(String(processId)).finally(() => owner.close());
    return () => {
      if (held.delete(database)) database.close();
    };
  } catch (error) {
    throw localFileError('lock', path, error);
  }
}

/** Whether a process runs the job now. */
export async function isLocked(path: string): Promise<boolean> {
  let database: DatabaseSync | undefined;
  try {
    database = await connect(path, { readOnly: true });
    database.exec('begin; select count(*) from sqlite_schema; rollback');
    return false;
  } catch (error) {
    const code = resultCode(error);
    if (code === BUSY || code === CANNOT_OPEN) return code === BUSY;
    throw localFileError('read', path, error);
  } finally {
    database?.close();
  }
}

async function exclusive(path: string): Promise<DatabaseSync | undefined> {
  const database = await connect(path, { timeout: LOOK });
  try {
    database.exec('begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (resultCode(error) === BUSY) return undefined;
    throw error;
  }
}

async function connect(path: string, options: DatabaseSyncOptions): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  return new DatabaseSync(path, options);
}

/** Result codes of SQLite. A lock that cannot be opened was never taken. */
const [BUSY, CANNOT_OPEN] = [5, 14];

function resultCode(error: unknown): unknown {
  return error instanceof Error && 'errcode' in error ? error.errcode : undefined;
}

async function refusal(path: string, job: string): Promise<SvcError> {
  const owner = await readTextIfExists(ownerPath(path));
  return new SvcError('locked', `process ${owner ?? '(unknown)'} is running job ${job}`, {
    hint: hint`wait for it, or stop that process; ${step('inspect', 'jobs', 'show', job)} tells how far it is`,
  });
}

function ownerPath(path: string): string {
  return `${path}.pid`;
}
