import { type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, relative, resolve } from 'node:path';
import { SvcError, systemErrorCode } from './errors.ts';
import { createLocalFileError } from './files.ts';
import { didYouMean } from './nearest.ts';
import { currentPlatform } from './process.ts';
import {
  type ReadLimits,
  readFileOrPipe,
  readRegularFile,
  readStream,
  TooLongError,
  UnsuitableFileError,
} from './read-file.ts';
import { readUntilAborted } from './read-until-aborted.ts';

export const TILDE_HINT =
  'only the shell expands ~, at the start of a word: put a space before the path instead of =, or use $HOME';

/** Whether a path has the short form of a home folder, which the shell did not expand. */
export function hasTilde(file: string): boolean {
  return /(^|[/\\])~[\w.-]*([/\\]|$)/.test(file);
}

/** @throws SvcError `usage` if the file does not exist, with a suggestion, or if it is a folder */
export async function findNamedFile(file: string, cwd: string): Promise<string> {
  const path = resolve(cwd, file);
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw createLocalFileError('read', file, error);
    const siblings = await readdir(dirname(path)).catch(() => []);
    const hint = hasTilde(file)
      ? TILDE_HINT
      : file.includes('\ufffd')
        ? 'svc reads only names in UTF-8: rename the file'
        : didYouMean(basename(path), siblings, 'paths are relative to the current folder');
    throw new SvcError('usage', `file not found: ${file}`, { hint, cause: error });
  }
  if (stats.isDirectory())
    throw new SvcError('usage', `${file} is a folder, not a file`, {
      hint: 'specify a file in this folder',
    });
  return path;
}

export interface NamedFileLimits extends ReadLimits {
  /** Whether to refuse pipes and devices, because svc reads the file several times. */
  readonly onlyRegular?: boolean;
}

/** Creates the error for a file that the user named. */
export function createNamedFileError(file: string, error: unknown): SvcError {
  if (error instanceof TooLongError)
    return new SvcError('invalid_input', `${file}: ${error.message}`, {
      cause: error,
      hint: 'check that it is the right file, or split it',
    });
  if (error instanceof UnsuitableFileError)
    return new SvcError('usage', `${file}: ${error.message}`, { cause: error });
  return createLocalFileError('read', file, error);
}

/**
 * @throws SvcError `usage` if the file is missing, or not a file; `invalid_input` if it is too large;
 * `local` if it cannot be read or does not end
 * @param limits the signal is required, because a FIFO may never get a writer
 */
export async function readNamedFile(
  file: string,
  cwd: string,
  limits: NamedFileLimits & { readonly signal: AbortSignal },
): Promise<Buffer> {
  const path = await findNamedFile(file, cwd);
  try {
    const { onlyRegular, maxBytes } = limits;
    return await (onlyRegular ? readRegularFile(path, maxBytes) : readFileOrPipe(path, limits));
  } catch (error) {
    limits.signal.throwIfAborted();
    throw createNamedFileError(file, error);
  }
}

/**
 * Reads stdin to its end.
 * @throws SvcError `invalid_input` if it is too long, or the reason of the signal
 */
export async function readStdin(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
  maxBytes?: number,
): Promise<Buffer> {
  try {
    return await readStream(readUntilAborted(stream, signal), maxBytes);
  } catch (error) {
    signal.throwIfAborted();
    throw createNamedFileError('stdin', error);
  }
}

/**
 * On Windows, NUL is the null device only without a folder: otherwise, Node.js would create a file
 * that is hard to delete.
 */
export function resolveOutputPath(file: string, cwd: string, platform = currentPlatform): string {
  return platform === 'win32' && file.toUpperCase() === 'NUL' ? '\\\\.\\NUL' : resolve(cwd, file);
}

/** Returns a path as it is shown in a folder: relative, unless the absolute path is shorter. */
export function shortPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return fromHere.startsWith('..') && fromHere.length > path.length ? path : fromHere;
}
