import { chmod, mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { platform as thisPlatform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { messageOf, SvcError, systemErrorCode } from './errors.ts';
import { readRegularFile } from './whole-file.ts';

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never ends where the system says of a folder
 * in one that is there that there is no such folder, as in `/proc`: it makes the upper one over and over, past every signal.
 * Below a file the system says ENOTDIR, or, on Windows, that nothing is there: ENOTDIR here on both.
 * @returns whether it was missing
 */
export async function makeFolder(path: string, mode = 0o777, make: MakeOne = mkdir): Promise<boolean> {
  const parent = dirname(path);
  for (let hasParent = false; ; hasParent = true) {
    try {
      await make(path, { mode });
      return true;
    } catch (error) {
      if (await isFolder(path)) return false;
      if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error;
      if (hasParent) throw new Error(`no folder can be made in ${parent}`, { cause: error });
    }
    await makeFolder(parent, mode, make).catch((error: unknown) => {
      throw systemErrorCode(error) === 'EEXIST' ? Object.assign(new Error(), { code: 'ENOTDIR', cause: error }) : error;
    });
  }
}

type MakeOne = (path: string, options: { readonly mode: number }) => Promise<unknown>;

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Makes a folder that only its owner can enter (0700), parents included; an existing one is closed to others. */
export async function privateFolder(path: string): Promise<void> {
  try {
    const created = await makeFolder(path, 0o700);
    if (!created) await chmod(path, 0o700);
  } catch (error) {
    throw localFileError('create', path, error);
  }
}

/**
 * Creates an empty file that only its owner can read (0600), unless it exists. An existing file is not opened: closing any descriptor
 * of a file drops the POSIX locks that this process holds on it, such as those of an open SQLite database.
 */
export async function createPrivateFile(path: string): Promise<void> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw localFileError('create', path, error);
  }
}

/**
 * The text of a regular file that svc found by itself, or `undefined` when there is none.
 * @throws SvcError `local` for any other kind of file, and for one that is longer than `most` bytes
 */
export async function readTextIfExists(path: string, most?: number): Promise<string | undefined> {
  try {
    return textOf(await readRegularFile(path, most));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw localFileError('read', path, error);
  }
}

/**
 * The text in a file's bytes: UTF-8, or UTF-16 where they begin with its mark, as what Windows PowerShell redirects does.
 * A mark stays in front as U+FEFF, so that text written back is read the same there.
 */
export function textOf(bytes: Buffer): string {
  return bytes.toString(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf16le' : 'utf8');
}

/** A text without the mark that says how it was encoded. */
export function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

export interface Replacement {
  /** Writes the text to the path it is given (default: a plain write). Its result is read back and compared. */
  readonly write?: (path: string, text: string) => Promise<void>;
  /** Permissions of the file (default: 0600). */
  readonly mode?: number;
  /** Flushes the file and its folder to disk, and reads it back (default: true). A cache can do without. */
  readonly durable?: boolean;
}

/**
 * Replaces a file so that readers see the old content or the new, never a mix: the text is written into a private folder beside
 * the file and renamed. On a full disk the old file keeps its content.
 * @throws SvcError `local` with the path
 */
export async function replaceFile(path: string, text: string, replacement: Replacement = {}): Promise<void> {
  const { write = writePrivately, mode = 0o600, durable = true } = replacement;
  let staging: string | undefined;
  try {
    staging = await mkdtemp(`${path}${STAGING}`);
    const staged = join(staging, basename(path));
    await write(staged, text);
    if (durable) await verifyDurably(staged, text);
    await chmod(staged, mode);
    await moveOver(staged, path);
    if (durable) await flushFolder(dirname(path));
  } catch (error) {
    throw localFileError('write', path, error);
  } finally {
    if (staging) await rm(staging, { recursive: true, force: true });
  }
}

/** Removes what writers of this file that were killed left beside it. Only while a lock keeps living ones out. */
export async function discardStaged(path: string): Promise<void> {
  const [folder, prefix] = [dirname(path), `${basename(path)}${STAGING}`];
  try {
    const leftovers = (await readdir(folder)).filter((name) => name.startsWith(prefix));
    for (const name of leftovers) await rm(join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw localFileError('write', path, error);
  }
}

const STAGING = '.staged-';

async function writePrivately(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600 });
}

async function verifyDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
    if ((await file.readFile('utf8')) !== text)
      throw new Error('only a part of it could be written; is the disk full?');
  } finally {
    await file.close();
  }
}

/** What moving files asks of the system it runs on. */
export interface MovingWorld {
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  rename(from: string, to: string): Promise<void>;
}

/** Windows refuses to replace a file while a reader, an indexer or a virus scanner has it open: a moment, as a rule. */
const HELD_FOR_A_MOMENT = new Set<unknown>(['EPERM', 'EACCES', 'EBUSY']);
const MOVE_PATIENCE = 3_000;
const LONGEST_MOVE_PAUSE = 200;

/** Gives a file another name, in place of what has that name, in one step. Where Windows holds that back, it is tried again. */
export async function moveOver(from: string, to: string, given: Partial<MovingWorld> = {}): Promise<void> {
  const world: MovingWorld = { platform: thisPlatform(), clock: systemClock, rename, ...given };
  const end = world.clock.now() + MOVE_PATIENCE;
  for (let pause = 10; ; pause = Math.min(2 * pause, LONGEST_MOVE_PAUSE)) {
    try {
      return await world.rename(from, to);
    } catch (error) {
      const isHeld = world.platform === 'win32' && HELD_FOR_A_MOMENT.has(systemErrorCode(error));
      if (!isHeld || world.clock.now() + pause > end) throw error;
    }
    await world.clock.sleep(pause);
  }
}

/** File systems that cannot flush a folder say so in several ways; some mounted ones do. */
const CANNOT_FLUSH = new Set<unknown>(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Makes what was created, renamed or removed in a folder outlast a power cut, where the file system can. */
export async function flushFolder(path: string, platform = thisPlatform()): Promise<void> {
  if (platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!CANNOT_FLUSH.has(systemErrorCode(error))) throw error;
  } finally {
    await folder.close();
  }
}

/** The error for a local file that could not be used: exit 12, with the path and the system's reason. */
export function localFileError(action: string, path: string, error: unknown): SvcError {
  if (error instanceof SvcError) return error;
  const code = systemErrorCode(error);
  const reason = code ? (SYSTEM_REASONS.get(code) ?? code) : messageOf(error);
  return new SvcError('local', `cannot ${action} ${path}: ${reason}`, { cause: error });
}

const SYSTEM_REASONS = new Map([
  ['ENOENT', 'no such file'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENXIO', 'it is not a regular file'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EEXIST', 'it exists already'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EFBIG', 'the limit on the size of files is reached'],
  ['EROFS', 'the file system is read-only'],
]);
