import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory: tests there do not wait for a disk. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** The variable that names the folder of compiled code that the tools started by tests share. */
export const CACHE_VARIABLE = 'SVC_TEST_CACHE';

/**
 * Puts the temporary files of a run into a folder of its own, in memory if it fits, and
 * deletes it at the end.
 */
export default function createRunFolder(): (() => void) | undefined {
  if (process.env[CACHE_VARIABLE] !== undefined) return undefined;
  const base = hasRoom(MEMORY) ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(base, 'svc-run-'));
  // Other users may pass through: PostgreSQL does not run as root.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  process.env[CACHE_VARIABLE] = mkdtempSync(join(folder, 'cache-'));
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
