import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwFileError } from './files.ts';

/** Returns the path of a temporary file, which does not exist. */
export function createTemporaryPath(purpose: string): string {
  return join(tmpdir(), `svc-${purpose}-${randomUUID()}`);
}

/**
 * Creates a temporary folder, which `close` deletes.
 * @throws SvcError `local` if that is impossible
 */
export async function createTemporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-')).catch(
    throwFileError('create a folder in', tmpdir()),
  );
  return { path, close: () => rm(path, { recursive: true, force: true }) };
}
