import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { withLock } from '../../src/kernel/lock.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const options = { clock: systemClock, patience: 0 };

describe('a lock', () => {
  it('lets one in at a time, and names who is in', async () => {
    const path = join(await temporaryFolder(), 'x.lock');
    await withLock(path, options, async () => {
      await expect(withLock(path, options, async () => 'in')).rejects.toMatchObject({
        failure: 'locked',
        message: expect.stringContaining(`process ${process.pid} on `),
      });
    });
    expect(await withLock(path, options, async () => 'in')).toBe('in');
  });

  it('is free again, with nothing left of it, when its owner fails', async () => {
    const folder = await temporaryFolder();
    const failed = withLock(join(folder, 'x.lock'), options, () => Promise.reject(new Error('no luck')));
    await expect(failed).rejects.toThrow('no luck');
    expect(await readdir(folder)).toEqual([]);
  });

  it('tells an owner that stood still that another one took over, and leaves that one its lock', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'x.lock');
    const sleeper = withLock(path, options, async ({ assertHeld }) => {
      await assertHeld();
      await utimes(path, 0, 0);
      await writeFile(`${path}.owner`, '{"pid":4711,"host":"elsewhere","nonce":"1"}');
      await assertHeld();
    });
    await expect(sleeper).rejects.toMatchObject({ failure: 'locked', message: expect.stringContaining('took over') });
    expect((await readdir(folder)).sort()).toEqual(['x.lock', 'x.lock.owner']);
  });

  it('is waited for anew with each owner, so that many in a row all get their turn', async () => {
    const path = join(await temporaryFolder(), 'x.lock');
    const turn = () => withLock(path, { ...options, patience: 2_000 }, () => systemClock.sleep(250));
    await Promise.all(Array.from({ length: 12 }, turn));
  });

  it('stops waiting when the command is stopped', async () => {
    const path = join(await temporaryFolder(), 'x.lock');
    const stop = new AbortController();
    await withLock(path, options, async () => {
      const waiting = withLock(path, { ...options, patience: 60_000, signal: stop.signal }, async () => 'in');
      stop.abort(new Error('stopped'));
      await expect(waiting).rejects.toThrow('stopped');
    });
  });
});
