import { rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ADD, importing, onlyJob } from './bulk-service.ts';
import { serving } from './serving.ts';
import { HOME, newUser, start } from './svc.ts';

/** An installation of its own, and what an update does to it while it is in use. */
async function installation() {
  const folder = await temporaryFolder();
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(HOME, name), join(folder, name), { recursive: true });
  }
  return {
    bin: join(folder, 'bin', 'svc.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

it('svc serve answers every operation, though the installation that it was started from is gone', async () => {
  const { bin, remove } = await installation();
  const { call } = await serving({ ...(await newUser()), bin });
  remove();
  const failed: string[] = [];
  for (const { name, path } of manifest) {
    const { status } = await call(path, {});
    if (status >= 500) failed.push(name);
  }
  expect(failed).toEqual([]);
});

it('a run whose installation goes away ends at once, says so, and goes on with another one', async () => {
  const { bin, remove } = await installation();
  const users = 5_000;
  const { svc, setting, came } = await importing(users, () => {
    remove();
    return undefined;
  });
  const ended = await start([bin, ...ADD, '--concurrency', '1', '-q'], setting).ended;
  expect(ended).toMatchObject({
    code: 12,
    stdout: '',
    stderr: `svc: its own files are gone
hint: svc was updated or removed while it ran: run it again; a job goes on with svc jobs resume
`,
  });
  const resumed = await svc('jobs', 'resume', await onlyJob(svc), '-o', 'json', '-q');
  expect(JSON.parse(resumed.stdout)).toMatchObject({ total: users, succeeded: users });
  expect(came.size).toBe(users);
});
