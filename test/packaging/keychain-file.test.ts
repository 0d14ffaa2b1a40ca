import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wrapModule } from '../../packaging/loader/loader.ts';
import { HOME, run } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/**
 * Runs the loader of the executable on a simulated Windows, with a program that loads the keychain.
 */
const LOADER = `
  const sea = require('node:sea');
  const assets = {
    'probe.js': ${JSON.stringify(wrapModule("process.stdout.write(require('@napi-rs/keyring').loaded)"))},
    'keyring.node': 'native code',
  };
  const getAsset = (name) => assets[name];
  Object.assign(sea, { getAsset, getRawAsset: getAsset, getAssetKeys: () => Object.keys(assets) });
  Object.defineProperty(process, 'platform', { value: 'win32' });
  process.dlopen = (module, file) => Object.assign(module.exports, { loaded: file });
  process.argv.splice(1, 0, 'svc');
  require(${JSON.stringify(join(HOME, 'packaging', 'executable', 'loader.cjs'))});`;

it('the keychain bridge is written to only one file on Windows, however often it is loaded', async () => {
  const [home, tmp] = [await createTemporaryFolder(), await createTemporaryFolder()];
  const env = { LOCALAPPDATA: home, TMPDIR: tmp };
  const load = () => run(['-e', LOADER, 'svc:/probe.js'], { env, cwd: home });
  const folder = join(home, 'svc', 'keychain');
  const runs = await Promise.all(Array.from({ length: 4 }, load));
  const [name = '', ...more] = await readdir(folder);
  expect(more).toEqual([]);
  for (const { stdout, stderr } of runs) expect([stdout, stderr]).toEqual([join(folder, name), '']);
  await writeFile(join(folder, name), 'native');
  expect((await load()).stdout).toBe(join(folder, name));
  expect(await readFile(join(folder, name), 'utf8')).toBe('native code');
  expect([await readdir(folder), await readdir(tmp)]).toEqual([[name], []]);
});
