import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode } from './errors.ts';

/** Makes a folder that only its owner can enter (0700), parents included; an existing one is closed to others. */
export async function privateFolder(path: string): Promise<void> {
  try {
    const created = await mkdir(path, { recursive: true, mode: 0o700 });
    if (!created) await chmod(path, 0o700);
  } catch (error) {
    throw localFileError('create', path, error);
  }
}

/** The text of a file, or `undefined` when there is none. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw localFileError('read', path, error);
  }
}

/**
 * Replaces a private file (0600) so that a reader sees the old content or the new, never a mix: written beside it,
 * flushed, read back, renamed, and the folder flushed. On a full disk the old file stays byte for byte.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const staged = `${path}.${randomUUID()}.tmp`;
  try {
    await writeDurably(staged, text);
    if ((await readFile(staged, 'utf8')) !== text) throw new Error('it reads back differently');
    await rename(staged, path);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(staged, { force: true });
    throw localFileError('write', path, error);
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  if (platform() === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The error for a local file that could not be used: exit 12, with the path and the system's reason. */
export function localFileError(action: string, path: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const code = systemErrorCode(error);
  const reason = code ? (SYSTEM_REASONS.get(code) ?? code) : error instanceof Error ? error.message : String(error);
  return new SvcError('local', `cannot ${action} ${path}: ${reason}`, { cause: error });
}

const SYSTEM_REASONS = new Map([
  ['ENOENT', 'no such file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EEXIST', 'it exists already'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EROFS', 'the file system is read-only'],
]);
