import { rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { ADD_USERS, createBulkUser, findOnlyJob } from './bulk-service.ts';
import { failure } from './mock-service.ts';
import { startServing } from './serving.ts';
import { HOME, newUser, start } from './svc.ts';

/** A separate installation, and the update that happens while it is in use. */
async function createInstallation() {
  const folder = await createTemporaryFolder();
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(join(HOME, name), join(folder, name), { recursive: true });
  }
  return {
    bin: join(folder, 'bin', 'svc.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

it('svc serve handles every operation after its installation was deleted', async () => {
  const { bin, remove } = await createInstallation();
  const { call } = await startServing({ ...(await newUser()), bin });
  remove();
  const failed: string[] = [];
  for (const { name, path } of manifest) {
    const { status } = await call(path, {});
    if (status >= 500) failed.push(name);
  }
  expect(failed).toEqual([]);
});

it(
  'a job that stops after its installation was deleted shows how to resume it, and is resumed with another one',
  SLOW,
  async () => {
    const { bin, remove } = await createInstallation();
    const users = 5_000;
    const { svc, setting, came } = await createBulkUser(users, (_, request) => {
      remove();
      return request === 2 ? failure(403, 'PERMISSION_DENIED', 'No.') : undefined;
    });
    const ended = await start([bin, ...ADD_USERS, '--concurrency', '1', '-q'], setting).ended;
    expect(ended).toMatchObject({
      code: 11,
      stderr: `svc: stopped before finishing
hint: svc was updated or removed while it was running; run the command again, or resume a job with svc jobs resume
`,
    });
    expect(JSON.parse(ended.stdout)).toMatchObject({ succeeded: 100, skipped: users - 100 });
    const resumed = await svc('jobs', 'resume', await findOnlyJob(svc), '-o', 'json', '-q');
    expect(JSON.parse(resumed.stdout)).toMatchObject({ total: users, succeeded: users });
    expect(came.size).toBe(users);
  },
);
