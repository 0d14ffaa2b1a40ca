import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { loadMachineSecret } from '../../src/profiles/machine-secret.ts';
import { createUserFolders } from '../temporary-folder.ts';
import { fakeKeychain } from './fake-keyring.ts';

async function machine() {
  const folders = await createUserFolders();
  const { keychain, kept, state } = fakeKeychain();
  let created = 0;
  const create = () => `secret-${++created}`;
  const load = (options = {}) =>
    loadMachineSecret('lab', create, { folders, clock: systemClock, keychain, ...options });
  return { load, kept, state, file: join(folders.config, 'lab.json'), folders };
}

describe("a machine's secret", () => {
  it('is created once, in the keychain only', async () => {
    const { load, kept, file } = await machine();
    expect([await load(), await load()]).toEqual(['secret-1', 'secret-1']);
    expect([...kept.values()]).toEqual(['secret-1']);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('is in a private file without a keychain, and stays the same when a keychain appears', async () => {
    const { load, kept, state, file } = await machine();
    state.fault = 'is not running';
    expect([await load(), await load()]).toEqual(['secret-1', 'secret-1']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    state.fault = undefined;
    expect(await load()).toBe('secret-1');
    expect(kept.size).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('secret-1');
  });

  it('is the same for processes that start at once', async () => {
    const { load, state } = await machine();
    state.fault = 'is not running';
    expect(new Set(await Promise.all([load(), load(), load()]))).toEqual(new Set(['secret-1']));
  });

  it('is not replaced if its file is damaged', async () => {
    const { load, file } = await machine();
    await load();
    await writeFile(file, '{"secret": 1}');
    await expect(load()).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining('is damaged'),
    });
  });
});
