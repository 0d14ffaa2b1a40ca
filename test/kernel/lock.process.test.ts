import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { acquireLock, isLocked, withLock } from '../../src/kernel/lock.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const options = { clock: systemClock, timeout: 0 };
const LOCK_MODULE = join(import.meta.dirname, '../../src/kernel/lock.ts');
const CLOCK_MODULE = join(import.meta.dirname, '../../src/kernel/clock.ts');

/** Starts a process that acquires the lock at `path` and holds it until it is killed. */
async function startOwner(path: string): Promise<ChildProcess> {
  const code = `
    import { acquireLock } from ${JSON.stringify(LOCK_MODULE)};
    import { systemClock } from ${JSON.stringify(CLOCK_MODULE)};
    await acquireLock(${JSON.stringify(path)}, { clock: systemClock });
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (!child.stdout) throw new Error('no stdout');
  await once(child.stdout, 'data');
  return child;
}

describe('a lock', () => {
  it('admits one owner at a time and names it', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    await withLock(path, options, async () => {
      expect(await isLocked(path)).toBe(true);
      await expect(withLock(path, options, async () => 'in')).rejects.toMatchObject({
        failure: 'locked',
        message: `${path} is locked by process ${process.pid}`,
      });
    });
    expect(await isLocked(path)).toBe(false);
    expect(await withLock(path, options, async () => 'in')).toBe('in');
  });

  it('creates a private file', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    (await acquireLock(path, options))();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is released if the body fails', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    await expect(
      withLock(path, options, () => Promise.reject(new Error('failed'))),
    ).rejects.toThrow('failed');
    expect(await isLocked(path)).toBe(false);
  });

  it('is free as soon as its owner is killed, and not while the owner is suspended', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    const owner = await startOwner(path);
    owner.kill('SIGSTOP');
    await expect(acquireLock(path, { clock: systemClock, timeout: 300 })).rejects.toMatchObject({
      message: `${path} is locked by process ${owner.pid}`,
    });
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    (await acquireLock(path, options))();
  });

  it('still excludes other processes after its owner tried to acquire it twice', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    const other = `
      import { isLocked } from ${JSON.stringify(LOCK_MODULE)};
      process.stdout.write(String(await isLocked(${JSON.stringify(path)})));`;
    await withLock(path, options, async () => {
      await expect(acquireLock(path, options)).rejects.toMatchObject({ failure: 'locked' });
      const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', other], {
        stdio: 'pipe',
      });
      const [answer] = await once(child.stdout, 'data');
      expect(String(answer)).toBe('true');
    });
  });

  it('restarts the timeout with each new owner, so that all of many waiting processes succeed', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    let inside = 0;
    const turn = () =>
      withLock(path, { clock: systemClock, timeout: 20_000 }, async () => {
        expect(++inside).toBe(1);
        await systemClock.sleep(20);
        inside--;
      });
    await Promise.all(Array.from({ length: 12 }, turn));
  });

  it('throws the error that the caller creates', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    await withLock(path, options, async () => {
      const createError = (owner: string) => new SvcError('locked', `busy: ${owner}`);
      await expect(acquireLock(path, { ...options, createError })).rejects.toThrow(
        `busy: process ${process.pid}`,
      );
    });
  });

  it('stops waiting if the signal aborts', async () => {
    const path = join(await createTemporaryFolder(), 'x.lock');
    const stop = new AbortController();
    await withLock(path, options, async () => {
      const waiting = withLock(
        path,
        { ...options, timeout: 60_000, signal: stop.signal },
        async () => 'in',
      );
      stop.abort(new Error('stopped'));
      await expect(waiting).rejects.toThrow('stopped');
    });
  });
});
