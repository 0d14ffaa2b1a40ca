import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import {
  createFolder,
  createPrivateFile,
  createPrivateFolder,
  throwFileError,
} from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { acquireLock } from '../../kernel/lock.ts';
import { checkStoreLocation } from '../../kernel/store-location.ts';
import { checkDatabaseParameters, listHostUrls, resemblesDatabase } from './database-url.ts';

/** Location of a store or request log that is only in memory. */
export const IN_MEMORY = ':memory:';

/** Returns the location of the store (default: a file in the private data folder). */
export async function resolveStoreLocation(
  explicitLocation: string | undefined,
  folders: Folders,
): Promise<string> {
  if (explicitLocation !== undefined) return explicitLocation;
  await createPrivateFolder(folders.data);
  return join(folders.data, 'service.sqlite');
}

/**
 * Parses the location of a store.
 * @param location a path, `sqlite:` followed by a path, or `postgres://user@host:port/database`
 * @throws SvcError `usage` for any other location, and for a URL with a password
 */
export function parseStoreLocation(
  location: string,
):
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'database'; readonly url: string } {
  const { scheme, path = '' } =
    /^(?:(?<scheme>[a-z][a-z0-9+.-]+):)?(?<path>.*)$/su.exec(location)?.groups ?? {};
  if (scheme === 'postgres' || scheme === 'postgresql')
    return { kind: 'database', url: databaseUrl(location) };
  const isForeign = scheme === undefined ? resemblesDatabase(location) : scheme !== 'sqlite';
  // A name with two slashes would be a file in the root folder.
  const isHost = /^\/\/[^/]/.test(path) && scheme === 'sqlite';
  if (path === '' || isForeign || isHost || resemblesDatabase(path))
    throw createInvalidLocationError(location);
  if (MEMORY_NAMES.test(path))
    throw new SvcError(
      'usage',
      `'${location}' is not a valid store location: svc has no stores in memory`,
      {
        hint: 'use a path in a temporary folder, or omit --store',
      },
    );
  return { kind: 'file', path: resolve(path) };
}

/** Names that SQLite does not take as files. */
const MEMORY_NAMES = /^(?:file:)?:memory:|^file:/;

/** Formats a location with an absolute path, for messages and other processes. */
export function displayStoreLocation(location: string): string {
  const parsed = parseStoreLocation(location);
  return parsed.kind === 'file' ? parsed.path : parsed.url;
}

/**
 * Returns the path of a store's request log: beside a SQLite file, or in `folder` for a PostgreSQL
 * database.
 */
export function locateRequestFile(location: string, folder: string | undefined): string {
  if (location === IN_MEMORY) return location;
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'file') return `${parsed.path}.requests`;
  if (folder === undefined) return IN_MEMORY;
  return join(
    folder,
    `${createHash('sha256').update(parsed.url).digest('hex').slice(0, 16)}.requests`,
  );
}

function databaseUrl(location: string): string {
  const url = checkStoreLocation(location).replace(/^postgresql:/, 'postgres:');
  // PostgreSQL libraries accept a user without a host, but URL parsers do not.
  const isUrl = (text: string) => URL.canParse(text.replace('@/', '@localhost/'));
  if (!/^postgres:\/\/[^\s#]*$/u.test(url) || !listHostUrls(url).every(isUrl))
    throw createInvalidLocationError(location);
  checkDatabaseParameters(url);
  return url;
}

function createInvalidLocationError(location: string): SvcError {
  return new SvcError('usage', `'${location}' is not a valid store location`, {
    hint: 'use a path, or postgres://user@host:port/database; for a file with such a name, put ./ before it',
  });
}

export async function createStoreFile(path: string): Promise<void> {
  await createFolder(dirname(path), 0o700)
    .then(() => createPrivateFile(path))
    .catch(throwFileError('open', path));
}

/**
 * Other commands can still use the store. A PostgreSQL database can be served by several processes.
 * @throws SvcError `locked` with the process ID of the owner
 */
export async function lockForServing(location: string, clock: Clock): Promise<() => void> {
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'database') return () => undefined;
  await createStoreFile(parsed.path);
  const createError = (owner: string) =>
    new SvcError('locked', `${owner} is already serving ${parsed.path}`, {
      hint: 'use that server, stop it first, or choose another store with --store',
    });
  return acquireLock(`${parsed.path}.serve`, { clock, timeout: 0, createError });
}
