import { fsync, type Stats } from 'node:fs';
import {
  chmod,
  chown,
  constants,
  copyFile,
  type FileHandle,
  link,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { platform as getPlatform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { systemErrorCode } from './errors.ts';
import { createLocalFileError, resolveLinks } from './files.ts';
import { once } from './once.ts';
import { UnsuitableFileError } from './read-file.ts';
import { closeAfter } from './resource.ts';

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
function createStagedPath(target: string): string {
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
async function moveIntoPlace(
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
async function stagedModeOf(target: string, mode: number | undefined): Promise<number> {
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
 * Flushes an open file or folder to disk. Uses the file descriptor, because the file handles of Yarn's
 * Plug'n'Play have no `sync`.
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

/** A private file that becomes an output when it is complete. Until then, the output is untouched. */
export interface StagedFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Truncates the file to at most `bytes`. Returns the resulting size. */
  truncateTo(bytes: number): Promise<number>;
  /** Flushes the file to the disk, and checks that it contains all bytes. */
  finish(): Promise<void>;
  /**
   * Puts the file in the place of another one.
   * @param mode permissions, as in `ReplaceFileOptions`
   */
  replace(target: string, mode: number | undefined): Promise<void>;
  /** Puts the file in a place that is free. Returns false if it is not. */
  create(target: string): Promise<boolean>;
  discard(): Promise<void>;
}

/**
 * Opens a file beside a path without links.
 * @param mode permissions of the path if it is new, as in `ReplaceFileOptions`
 * @throws the system's error, like the methods
 */
export async function stageFile(path: string, mode?: number): Promise<StagedFile> {
  const staged = createStagedPath(path);
  const file = await open(staged, 'ax', await stagedModeOf(path, mode));
  let size = 0;
  const close = once(() => file.close());
  const finish = async () => {
    await flush(file);
    if ((await file.stat()).size !== size)
      throw new Error('only part of the file was written; the disk may be full');
  };
  const complete = once(async () => {
    await finish();
    await close();
  });
  const discard = async () => {
    await close();
    await rm(staged, { force: true });
  };
  const discardOnError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      await discard();
      throw error;
    }
  };
  return {
    async write(bytes) {
      await file.appendFile(bytes);
      size += bytes.length;
    },
    async truncateTo(bytes) {
      size = Math.min(size, bytes);
      await file.truncate(size);
      return size;
    },
    finish,
    replace: (target, mode) =>
      discardOnError(async () => {
        await complete();
        await moveIntoPlace(staged, target, mode);
        await flushFolder(dirname(target));
      }),
    create: (target) =>
      discardOnError(async () => {
        await complete();
        if (!(await createFrom(staged, target))) return false;
        await rm(staged);
        await flushFolder(dirname(target));
        return true;
      }),
    discard,
  };
}

/** Creates a second name of a file; a copy on a file system without hard links. */
async function createFrom(source: string, target: string): Promise<boolean> {
  const isTaken = (error: unknown) => {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  };
  try {
    await link(source, target);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
  }
  return copyFile(source, target, constants.COPYFILE_EXCL).then(() => true, isTaken);
}
