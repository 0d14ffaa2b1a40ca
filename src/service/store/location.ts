import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, makeFolder, privateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';

/** Where the service keeps its data unless told: a file in the user's own data folder, which is closed to others. */
export async function storeLocation(given: string | undefined, folders: Folders): Promise<string> {
  if (given !== undefined) return given;
  await privateFolder(folders.data);
  return join(folders.data, 'service.sqlite');
}

/**
 * The file that a location stands for: a path, or `sqlite:` and a path.
 * @throws SvcError `usage` for any other scheme.
 */
export function storeFile(location: string): string {
  const { scheme, path = '' } = /^(?:(?<scheme>[a-z][a-z0-9+.-]+):)?(?<path>.*)$/su.exec(location)?.groups ?? {};
  if (path === '' || (scheme !== undefined && scheme !== 'sqlite')) {
    throw new SvcError('usage', `'${location}' is no place for a store`, { hint: 'give a path, or sqlite:<path>' });
  }
  return resolve(path);
}

/** Makes the file, which only its owner can read (0600), and its folder, unless they exist. */
export async function createStoreFile(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path), 0o700);
    await (await open(path, 'a', 0o600)).close();
  } catch (error) {
    throw localFileError('open', path, error);
  }
}
