import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { SvcError, systemErrorCode } from './errors.ts';
import { localFileError } from './files.ts';
import { thisPlatform } from './io.ts';
import { nearest } from './nearest.ts';
import { type NamedFileLimits, readFileOrPipe, UnsuitableFile } from './whole-file.ts';

/**
 * The absolute path of a file that the user named.
 * @throws SvcError `usage` when there is none, with the nearest name, or when it is a folder
 */
export async function findNamedFile(file: string, cwd: string): Promise<string> {
  const path = resolve(cwd, file);
  const found = await stat(path).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'ENOENT') throw localFileError('read', file, error);
    const near = nearest(basename(path), await readdir(dirname(path)).catch(() => []));
    throw new SvcError('usage', `there is no file ${file}`, {
      hint: near ? `did you mean '${near}'?` : 'paths count from the current folder',
      cause: error,
    });
  });
  if (found.isDirectory()) throw new SvcError('usage', `${file} is a folder`, { hint: 'name a file in it' });
  return path;
}

/**
 * The bytes of a file that the user named, which may be a pipe or a terminal.
 * @throws SvcError `usage` when there is no such file, when it is too long, or when it is not a file; `local` when it
 * cannot be read, or delivers nothing in time
 */
export async function readNamedFile(file: string, cwd: string, limits: NamedFileLimits = {}): Promise<Buffer> {
  const path = await findNamedFile(file, cwd);
  try {
    return await readFileOrPipe(path, limits);
  } catch (error) {
    if (error instanceof UnsuitableFile) throw new SvcError('usage', `${file}: ${error.message}`, { cause: error });
    throw localFileError('read', file, error);
  }
}

/**
 * The absolute path of a file that the user wants written. NUL stands for nowhere on Windows; with a folder before it,
 * Node would make a file of that name there, which hardly any program of Windows can remove.
 */
export function pathToWrite(file: string, cwd: string, platform = thisPlatform): string {
  return platform === 'win32' && file.toUpperCase() === 'NUL' ? '\\\\.\\NUL' : resolve(cwd, file);
}
