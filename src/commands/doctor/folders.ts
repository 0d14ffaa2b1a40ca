import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { userId } from '../../kernel/process.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { type Check, type CheckResult, fail, ok, skipped, warn } from './check.ts';

export function createFolderChecks(folders: Folders): readonly Check[] {
  return [
    ...(['config', 'state', 'data'] as const).map((name) => ({
      name: `${name}-folder`,
      run: () => checkWritable(folders[name]),
    })),
    { name: 'permissions', run: () => checkPermissions(folders) },
  ];
}

/** Writes a test file, because permissions alone don't reveal a full or read-only disk. @throws SvcError `local` */
async function checkWritable(folder: string): Promise<CheckResult> {
  const existing = await nearestExisting(folder);
  const probe = join(existing, `.svc-doctor-${randomUUID()}`);
  try {
    const file = await open(probe, 'wx', 0o600);
    try {
      await file.writeFile(Buffer.alloc(4_096));
      await file.sync();
    } finally {
      await file.close();
    }
    return ok(existing === folder ? folder : `${folder} (does not exist yet; ${existing} is writable)`);
  } catch (error) {
    const { message } = localFileError('write to', existing, error);
    return fail('local', message, 'make the folder writable, free some disk space, or set XDG_*_HOME to another folder');
  } finally {
    await rm(probe, { force: true }).catch(() => undefined); // the file may not exist
  }
}

async function nearestExisting(folder: string): Promise<string> {
  const found = await statIfExists(folder);
  return found || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

async function checkPermissions({ config, state, data }: Folders): Promise<CheckResult> {
  if (userId === undefined) return skipped('not checked on Windows');
  const files = ['profiles.json', 'secrets.json'].map((name) => join(config, name));
  for (const path of [...files, config, state, data]) {
    const found = await statIfExists(path);
    if (!found) continue;
    const isFile = found.isFile();
    const mode = (found.mode & 0o777).toString(8);
    if (found.uid !== userId) return warn(`${path} belongs to another user`, `sudo chown $(id -u) ${quoteForShell(path)}`);
    if ((found.mode & 0o077) === 0) continue;
    const detail = `${path} is accessible to other users (${mode})`;
    const fix = `chmod ${isFile ? 600 : 700} ${quoteForShell(path)}`;
    return isFile ? fail('local', detail, fix) : warn(detail, fix);
  }
  return ok('only this user can read the profiles, the state, and the data');
}

async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw localFileError('access', path, error);
  }
}
