import { constants, existsSync, statSync } from 'node:fs';
import {
  access,
  chmod,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, SvcError, systemErrorCode } from './errors.ts';
import { readRegularFile, UnsuitableFileError } from './read-file.ts';
import { closeAfter } from './resource.ts';

/**
 * Creates a folder and its missing parents. Node's own `recursive` option loops forever, ignoring
 * signals, if the system reports ENOENT for a subfolder of an existing folder, as in `/proc`. If a
 * parent is a file, the error is ENOTDIR on every system; Windows itself reports ENOENT.
 * @returns whether the folder was created
 */
export async function createFolder(
  path: string,
  mode = 0o777,
  createOne: CreateOneFolder = mkdir,
): Promise<boolean> {
  if (existsSync(path) && statSync(path).isDirectory()) return false;
  const parent = dirname(path);
  for (let hasParent = false; ; hasParent = true) {
    try {
      await createOne(path, { mode });
      return true;
    } catch (error) {
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isDirectory()) return false;
      if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error;
      if (hasParent) throw new Error(`folders cannot be created in ${parent}`, { cause: error });
    }
    await createFolder(parent, mode, createOne).catch((error: unknown) => {
      throw systemErrorCode(error) === 'EEXIST'
        ? Object.assign(new Error(), { code: 'ENOTDIR', cause: error })
        : error;
    });
  }
}

type CreateOneFolder = (path: string, options: { readonly mode: number }) => Promise<unknown>;

/**
 * Creates a folder and its parents with access for the owner only (0700). Restricts an existing
 * folder.
 */
export async function createPrivateFolder(path: string): Promise<void> {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o777) === 0o700) return;
    const created = await createFolder(path, 0o700);
    if (!created) await chmod(path, 0o700);
  } catch (error) {
    throw createLocalFileError('create', path, error);
  }
}

/**
 * Creates an empty file (0600). Does not open an existing one: closing it would drop this process's
 * POSIX locks on it.
 */
export async function createPrivateFile(path: string): Promise<void> {
  if (existsSync(path)) return;
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw createLocalFileError('create', path, error);
  }
}

/**
 * Adds text to a private file that svc keeps for itself, and creates the file if necessary. Rejects
 * a FIFO, whose missing reader would block svc, and devices.
 * @returns the size of the file
 * @throws SvcError `local`
 */
export async function appendToRegularFile(path: string, text: string): Promise<number> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  try {
    const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
    return await closeAfter(handle, async (file) => {
      if (!(await file.stat()).isFile()) throw new UnsuitableFileError('is not a regular file');
      await file.appendFile(text);
      return (await file.stat()).size;
    });
  } catch (error) {
    throw createLocalFileError('write', path, error);
  }
}

/**
 * Returns `undefined` if the file does not exist.
 * @throws SvcError `local` if it is not regular or larger than `maxBytes`
 */
export async function readTextIfExists(
  path: string,
  maxBytes?: number,
): Promise<string | undefined> {
  const bytes = await readRegularFile(path, maxBytes).catch(useIfMissing(undefined, path));
  return bytes && decodeBytes(bytes);
}

/** Lists a folder; an empty list if it does not exist. @throws SvcError `local` */
export async function listFolder(path: string): Promise<readonly string[]> {
  return readdir(path).catch(useIfMissing([], path));
}

/**
 * Decodes UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it. Keeps the mark as
 * U+FEFF.
 */
function decodeBytes(bytes: Buffer): string {
  return bytes.toString(isUtf16(bytes) ? 'utf16le' : 'utf8');
}

/**
 * Decodes a secret like `decodeBytes`, without a byte order mark. The error does not quote it.
 * @throws SvcError `invalid_input` if the bytes are not text
 */
export function decodeSecretBytes(bytes: Buffer, source: string): string {
  try {
    return new TextDecoder(isUtf16(bytes) ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SvcError('invalid_input', `${source} is not UTF-8 text`, {
      hint: 'check that it is the right file, and save it as UTF-8',
    });
  }
}

function isUtf16(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe;
}

export function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Maximum number of links in a chain, as in Linux. */
const MAX_LINKS = 40;

/**
 * Resolves the links of a path, also if their target is missing. Writing to the result creates or
 * replaces the target, and keeps the links.
 */
export async function resolveLinks(path: string): Promise<string> {
  let target = path;
  for (let links = 0; links <= MAX_LINKS; links += 1) {
    const found = await realpath(target).catch(() => undefined);
    if (found !== undefined) return found;
    const folder = await realpath(dirname(target)).catch(() => dirname(target));
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return join(folder, basename(target));
    target = resolve(folder, next);
  }
  throw Object.assign(new Error(), { code: 'ELOOP' });
}

/** Rejects, with the error of the system, if no file can be created or removed in a path's folder. */
export async function requireWritableFolder(path: string): Promise<void> {
  await access(dirname(path), constants.W_OK | constants.X_OK);
}

/**
 * Creates the error for a local file that could not be used: exit code 12, with the path and the
 * system's reason.
 */
export function createLocalFileError(action: string, path: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const code = systemErrorCode(error);
  // SQLite describes its errors only in words.
  const isNamed = code !== undefined && code !== 'ERR_SQLITE_ERROR';
  const reason = isNamed ? (SYSTEM_REASONS.get(code) ?? code) : messageOf(error);
  return new SvcError('local', `cannot ${action} ${path}: ${reason}`, { cause: error });
}

/** Returns a handler for `catch` that throws the error of `createLocalFileError`. */
export function throwFileError(action: string, path: string) {
  return (error: unknown): never => {
    throw createLocalFileError(action, path, error);
  };
}

/**
 * Returns a handler for `catch` that replaces a missing file with `fallback`, and throws the error
 * for any other problem.
 */
export function useIfMissing<Fallback>(fallback: Fallback, path: string) {
  return (error: unknown): Fallback => {
    if (systemErrorCode(error) === 'ENOENT') return fallback;
    throw createLocalFileError('read', path, error);
  };
}

const SYSTEM_REASONS = new Map([
  ['ENOENT', 'no such file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'is a folder'],
  ['ENXIO', 'is not a regular file'],
  ['ELOOP', 'is a circular link'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ENOTDIR', 'part of the path is not a folder'],
  ['EEXIST', 'already exists'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is exceeded'],
  ['EFBIG', 'the file size limit is exceeded'],
  ['EROFS', 'the file system is read-only'],
]);
