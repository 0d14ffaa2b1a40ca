import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Folders } from '../src/kernel/folders.ts';

/** A folder of this test's own, gone when the test is over. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A user's folders in a folder of this test's own; none of them exists yet. */
export async function temporaryFolders(): Promise<Folders> {
  const home = await temporaryFolder();
  return { config: join(home, 'config'), state: join(home, 'state'), data: join(home, 'data') };
}
