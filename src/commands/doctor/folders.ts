import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { userId } from '../../kernel/io.ts';
import { shellWord } from '../../kernel/shell-word.ts';
import { type Check, fail, ok, type Verdict, warn } from './check.ts';

/** What is about the folders of this user: that they can be written, and that nobody else can look into them. */
export function folderChecks(folders: Folders): readonly Check[] {
  return [
    ...(['config', 'state', 'data'] as const).map((name) => ({
      name: `${name}-folder`,
      run: () => writable(folders[name]),
    })),
    { name: 'permissions', run: () => permissions(folders) },
  ];
}

/** Really writes, since a full or read-only disk shows only then. @throws SvcError `local` */
async function writable(folder: string): Promise<Verdict> {
  const place = await nearestExisting(folder);
  const probe = join(place, `.svc-doctor-${randomUUID()}`);
  try {
    const file = await open(probe, 'wx', 0o600);
    try {
      await file.writeFile(Buffer.alloc(4_096));
      await file.sync();
    } finally {
      await file.close();
    }
    return ok(place === folder ? folder : `${folder} (not there yet; ${place} can be written)`);
  } catch (error) {
    const { message } = localFileError('write into', place, error);
    return fail(
      'local',
      message,
      'give this user the right to write there, or make room; XDG_*_HOME names another place',
    );
  } finally {
    await rm(probe, { force: true }).catch(() => undefined); // what cannot be written cannot be left either
  }
}

async function nearestExisting(folder: string): Promise<string> {
  const found = await statIfExists(folder);
  return found || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

async function permissions({ config, state, data }: Folders): Promise<Verdict> {
  if (userId === undefined) return ok('as Windows sets them for this user');
  const files = ['profiles.json', 'secrets.json'].map((name) => join(config, name));
  for (const path of [...files, config, state, data]) {
    const found = await statIfExists(path);
    if (!found) continue;
    const isFile = found.isFile();
    const mode = (found.mode & 0o777).toString(8);
    if (found.uid !== userId) return warn(`${path} belongs to another user`, `sudo chown $(id -u) ${shellWord(path)}`);
    if ((found.mode & 0o077) === 0) continue;
    const detail = `${path} is open to others (${mode})`;
    const fix = `chmod ${isFile ? 600 : 700} ${shellWord(path)}`;
    return isFile ? fail('local', detail, fix) : warn(detail, fix);
  }
  return ok('nobody else can read the profiles, the state or the data');
}

async function statIfExists(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw localFileError('look at', path, error);
  }
}
