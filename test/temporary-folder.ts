import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Folders } from '../src/kernel/folders.ts';

/** Creates a temporary folder that is deleted at the end of the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns user folders in a temporary folder; none of them exists yet. */
export async function createUserFolders(): Promise<Folders> {
  const home = await createTemporaryFolder();
  return { config: join(home, 'config'), state: join(home, 'state'), data: join(home, 'data') };
}
