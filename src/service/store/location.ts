import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, makeFolder, privateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { storeAddress } from '../../kernel/store-address.ts';

/** Where the service keeps its data unless told: a file in the user's own data folder, which is closed to others. */
export async function storeLocation(given: string | undefined, folders: Folders): Promise<string> {
  if (given !== undefined) return given;
  await privateFolder(folders.data);
  return join(folders.data, 'service.sqlite');
}

/** What a location stands for: a file of SQLite, or a database of a PostgreSQL server by its URL, which holds no password. */
export type StorePlace =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'database'; readonly url: string };

/**
 * @param location a path, `sqlite:` and a path, or `postgres://user@host:port/database`
 * @throws SvcError `usage` for any other scheme, and for a password.
 */
export function storePlace(location: string): StorePlace {
  const { scheme, path = '' } = /^(?:(?<scheme>[a-z][a-z0-9+.-]+):)?(?<path>.*)$/su.exec(location)?.groups ?? {};
  if (scheme === 'postgres' || scheme === 'postgresql') return { kind: 'database', url: databaseUrl(location) };
  if (path === '' || (scheme !== undefined && scheme !== 'sqlite')) throw noPlace(location);
  return { kind: 'file', path: resolve(path) };
}

/** A location as people and other runs are told it: no path in it depends on the folder that svc runs in. */
export function storeName(location: string): string {
  const place = storePlace(location);
  return place.kind === 'file' ? place.path : place.url;
}

function databaseUrl(location: string): string {
  const url = storeAddress(location).replace(/^postgresql:/, 'postgres:');
  // A user without a host is what the libraries of PostgreSQL know, and URLs in general do not.
  if (!/^postgres:\/\/\S*$/u.test(url) || !URL.canParse(url.replace('@/', '@localhost/'))) throw noPlace(location);
  return url;
}

function noPlace(location: string): SvcError {
  return new SvcError('usage', `'${location}' is no place for a store`, {
    hint: 'give a path, or postgres://user@host:port/database',
  });
}

/** Makes the file, which only its owner can read (0600), and its folder, unless they exist. */
export async function createStoreFile(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path), 0o700);
    // Without O_NONBLOCK, opening a FIFO waits for its reader in a way that nothing interrupts.
    await (await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, 0o600)).close();
  } catch (error) {
    throw localFileError('open', path, error);
  }
}
