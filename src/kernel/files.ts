import { constants, existsSync, fsync, type Stats, statSync } from 'node:fs';
import {
  access,
  chmod,
  chown,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { platform as getPlatform } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
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

export interface ReplaceFileOptions {
  readonly write?: (path: string) => Promise<void>;
  /**
   * Permissions of a new file, without those that the umask excludes; an existing file keeps its
   * own. By default, the content is private: a new file gets 0600, and an existing file keeps only
   * the permissions of its owner.
   */
  readonly mode?: number;
  /**
   * Flushes the file and its folder to disk, and verifies the content (default: true). Not needed
   * for caches.
   */
  readonly durable?: boolean;
}

/**
 * Replaces a file atomically, by renaming a private copy. On a full disk, the old content remains.
 * Links to the file stay.
 * @param text the text, or its parts
 * @throws SvcError `local`
 */
export async function replaceFile(
  path: string,
  text: string | readonly string[],
  options: ReplaceFileOptions = {},
): Promise<void> {
  const { mode, durable = true } = options;
  const texts = [text].flat();
  let staged: string | undefined;
  try {
    const target = await resolveLinks(path);
    staged = createStagedPath(target);
    if (options.write) await options.write(staged);
    else await writeFile(staged, texts, { flag: 'wx', mode: await stagedModeOf(target, mode) });
    if (durable) await flushAndVerify(staged, texts);
    await moveIntoPlace(staged, target, mode);
    if (durable) await flushFolder(dirname(target));
  } catch (error) {
    throw createLocalFileError('write', path, error);
  } finally {
    if (staged) await rm(staged, { force: true });
  }
}

/**
 * Removes the staged files of killed writers. The caller must hold a lock that excludes other
 * writers.
 */
export async function removeStagedFiles(path: string): Promise<void> {
  try {
    const target = await resolveLinks(path);
    const [folder, prefix] = [dirname(target), basename(stagingPrefix(target))];
    const leftovers = (await readdir(folder)).filter((name) => name.startsWith(prefix));
    for (const name of leftovers) await rm(join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw createLocalFileError('write', path, error);
  }
}

/** Ending of a file that will replace the one beside it; a random part follows. */
export const STAGING_SUFFIX = '.staged-';
/** Characters of a file's name that its staged file keeps, so that the name is not too long. */
const MAX_STAGED_NAME = 48;

/** Returns a new path for the replacement of a file. */
export function createStagedPath(target: string): string {
  return stagingPrefix(target) + Math.random().toString(36).slice(2, 12);
}

function stagingPrefix(target: string): string {
  const name = basename(target).slice(0, MAX_STAGED_NAME).toWellFormed();
  return join(dirname(target), `${name}${STAGING_SUFFIX}`);
}

/**
 * Renames a staged file to its target, with the permissions and the owner of the file that it
 * replaces.
 * @param mode permissions of a new file, as in `ReplaceFileOptions`
 */
export async function moveIntoPlace(
  staged: string,
  target: string,
  mode: number | undefined,
): Promise<void> {
  const existing = await stat(target).catch(() => undefined);
  if (existing && !existing.isFile()) throw new UnsuitableFileError('is not a regular file');
  if (existing) {
    await keepOwner(staged, existing);
    await chmod(staged, permissionsFor(existing.mode, mode));
  } else if (mode === undefined) await chmod(staged, permissionsFor(undefined, mode));
  await moveReplacing(staged, target);
}

/**
 * Returns the permissions to create a staged file with, so that the umask applies to those of a new
 * file. One that replaces another is private until it is in its place.
 */
export async function stagedModeOf(target: string, mode: number | undefined): Promise<number> {
  const existing = await stat(target).catch(() => undefined);
  return existing ? 0o600 : permissionsFor(undefined, mode);
}

/** Returns the permissions of an output, as described in `ReplaceFileOptions`. */
export function permissionsFor(existing: number | undefined, mode: number | undefined): number {
  if (existing === undefined) return mode ?? 0o600;
  return existing & (mode === undefined ? 0o700 : 0o777);
}

/** Keeps the owner of a file that another user, such as root, replaces, if that is allowed. */
async function keepOwner(staged: string, { uid, gid }: Stats): Promise<void> {
  const own = await stat(staged);
  if (own.uid !== uid || own.gid !== gid) await chown(staged, uid, gid).catch(() => undefined);
}

/**
 * Flushes an open file or folder to disk. Yarn's Plug'n'Play replaces file handles by ones without
 * `sync`, so this uses the file descriptor.
 */
export function flush({ fd }: Pick<FileHandle, 'fd'>): Promise<void> {
  return new Promise((resolve, reject) =>
    fsync(fd, (error) => (error ? reject(error) : resolve())),
  );
}

async function flushAndVerify(path: string, texts: readonly string[]): Promise<void> {
  await closeAfter(await open(path, 'r+'), async (file) => {
    await flush(file);
    let [isComplete, position] = [true, 0];
    for (const text of texts) {
      const bytes = Buffer.alloc(Buffer.byteLength(text));
      position += (await file.read(bytes, 0, bytes.length, position)).bytesRead;
      isComplete &&= bytes.toString() === text;
    }
    if (!isComplete || (await file.stat()).size !== position)
      throw new Error('only part of the file was written; the disk may be full');
  });
}

export interface MoveDependencies {
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  rename(from: string, to: string): Promise<void>;
}

/**
 * Error codes on Windows while a reader, an indexer, or a virus scanner has the file open, usually
 * for a moment.
 */
const TRANSIENT_ERRORS = new Set<unknown>(['EPERM', 'EACCES', 'EBUSY']);
const MOVE_TIMEOUT = 3_000;
const MAX_MOVE_PAUSE = 200;

/**
 * Renames a file atomically, replacing an existing one. On Windows, retries while another process
 * has the file open.
 */
export async function moveReplacing(
  from: string,
  to: string,
  overrides: Partial<MoveDependencies> = {},
) {
  const dependencies: MoveDependencies = {
    platform: getPlatform(),
    clock: systemClock,
    rename,
    ...overrides,
  };
  const deadline = dependencies.clock.now() + MOVE_TIMEOUT;
  for (let pause = 10; ; pause = Math.min(2 * pause, MAX_MOVE_PAUSE)) {
    try {
      return await dependencies.rename(from, to);
    } catch (error) {
      const isHeld =
        dependencies.platform === 'win32' && TRANSIENT_ERRORS.has(systemErrorCode(error));
      if (!isHeld || dependencies.clock.now() + pause > deadline) throw error;
    }
    await dependencies.clock.sleep(pause);
  }
}

/** Error codes of file systems that cannot flush a folder. */
const FLUSH_UNSUPPORTED = new Set<unknown>(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Flushes a folder to disk, so that created, renamed, and removed files survive a power failure, if
 * the file system supports it.
 */
export async function flushFolder(path: string, platform = getPlatform()): Promise<void> {
  if (platform === 'win32') return;
  await closeAfter(await open(path, 'r'), flush).catch((error: unknown) => {
    if (!FLUSH_UNSUPPORTED.has(systemErrorCode(error))) throw error;
  });
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
 * Returns a handler for `catch` that replaces a missing file by `fallback`, and throws the error
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
