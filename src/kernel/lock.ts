import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Clock, steadyNow } from './clock.ts';
import { SvcError, systemErrorCode } from './errors.ts';
import { localFileError, readTextIfExists } from './files.ts';
import { isRunning, processId } from './io.ts';

/** Milliseconds without a sign of life after which an owner counts as dead and anyone may take its lock. */
const DEAD_AFTER = 10_000;
const LONGEST_PAUSE = 200;

export interface LockOptions {
  readonly clock: Clock;
  /**
   * Milliseconds to wait for another owner; as long again whenever the lock has gone to the next one, since those that
   * wait get their turn then. To outlast a dead owner takes more than 10 s.
   */
  readonly patience: number;
  readonly signal?: AbortSignal;
}

export interface Lock {
  /** @throws SvcError `locked` when this process stood still for so long that another one took the lock. */
  assertHeld(): Promise<void>;
}

/**
 * Runs `body` while no other process on this file system holds the lock at `path`, a folder; the owner's name lies
 * beside it.
 * @throws SvcError `locked`, naming the owner, when it is not free in time.
 */
export async function withLock<Value>(
  path: string,
  options: LockOptions,
  body: (lock: Lock) => Promise<Value>,
): Promise<Value> {
  const release = await acquire(path, options);
  const owner = JSON.stringify({ pid: processId, host: hostname(), nonce: randomUUID() });
  try {
    await writeFile(ownerPath(path), owner, { mode: 0o600 });
  } catch (error) {
    await release();
    throw localFileError('lock', path, error);
  }
  const isHeld = async () => (await readTextIfExists(ownerPath(path))) === owner;
  const assertHeld = async () => {
    if (!(await isHeld())) throw new SvcError('locked', `another process took over the lock ${path}`, AGAIN);
  };
  try {
    return await body({ assertHeld });
  } finally {
    if (await isHeld()) {
      await rm(ownerPath(path), { force: true });
      await release();
    }
  }
}

async function acquire(path: string, { clock, patience, signal }: LockOptions): Promise<() => Promise<void>> {
  const { default: properLockfile } = await import('proper-lockfile');
  let owner: string | undefined;
  let deadline = steadyNow(clock) + patience;
  for (;;) {
    try {
      const release = await properLockfile.lock(path, {
        lockfilePath: path,
        realpath: false,
        stale: DEAD_AFTER,
        onCompromised: () => undefined, // `assertHeld` finds out, at the moment when it matters
      });
      return () => release().catch(() => undefined); // what cannot be released was taken over
    } catch (error) {
      if (systemErrorCode(error) !== 'ELOCKED') throw localFileError('lock', path, error);
      const next = await readTextIfExists(ownerPath(path));
      if (owner !== undefined && next !== undefined && next !== owner) deadline = steadyNow(clock) + patience;
      owner = next ?? owner;
      if (steadyNow(clock) >= deadline) throw await refusal(path);
    }
    await clock.sleep(Math.ceil(Math.random() * LONGEST_PAUSE), signal);
  }
}

async function refusal(path: string): Promise<SvcError> {
  const owner = await lockOwner(path);
  const named = owner ? `process ${owner.pid} on ${owner.host}` : 'another process';
  return new SvcError('locked', `${path} is held by ${named}`, AGAIN);
}

interface LockOwner {
  readonly pid: number;
  readonly host: string;
}

/** Whose a lock is by its name beside it, alive or dead; `undefined` where there is none. */
async function lockOwner(path: string): Promise<LockOwner | undefined> {
  const owner = /"pid":(\d+),"host":"([^"]*)"/.exec((await readTextIfExists(ownerPath(path))) ?? '');
  return owner ? { pid: Number(owner[1]), host: owner[2] ?? '' } : undefined;
}

/** Whether whoever took a lock on this machine is gone without giving it back: it is free within 10 s. */
export async function isAbandoned(path: string): Promise<boolean> {
  const owner = await lockOwner(path);
  return owner !== undefined && owner.host === hostname() && !isRunning(owner.pid);
}

const AGAIN = { hint: 'run the command again' };

function ownerPath(path: string): string {
  return `${path}.owner`;
}
