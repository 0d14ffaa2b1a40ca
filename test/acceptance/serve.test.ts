import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { serving } from './serving.ts';
import { HOME, newUser } from './svc.ts';

it('svc serve answers every operation, though the installation that it was started from is gone', async () => {
  const user = await newUser();
  const installed = join(user.home, 'installed');
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(HOME, name), join(installed, name), { recursive: true });
  }
  const { call } = await serving({ ...user, bin: join(installed, 'bin', 'svc.js') });
  await rm(installed, { recursive: true });
  const failed: string[] = [];
  for (const { name, path } of manifest) {
    const { status } = await call(path, {});
    if (status >= 500) failed.push(name);
  }
  expect(failed).toEqual([]);
});
