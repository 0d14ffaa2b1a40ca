import { parseStoreLocation } from './location.ts';
import type { Store } from './store.ts';

const BUSY_TIMEOUT = 10_000;

export interface OpenStoreOptions {
  /** In milliseconds. */
  readonly busyTimeout?: number;
  readonly signal?: AbortSignal;
}

/**
 * Opens a store, and creates or upgrades it if necessary.
 * @param location a path, `sqlite:` followed by a path, or the URL of a PostgreSQL database
 * @throws SvcError `usage` for an invalid location, `locked` if another process has locked the
 * file, `local` if the store is not usable or was written by a newer svc; also the errors of
 * `openPostgresStore`
 */
export async function openStore(
  location: string,
  { busyTimeout = BUSY_TIMEOUT, signal }: OpenStoreOptions = {},
): Promise<Store> {
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'database')
    return (await import('./postgres-store.ts')).openPostgresStore(parsed.url, busyTimeout, signal);
  return (await import('./sqlite-store.ts')).openSqliteStore(parsed.path, busyTimeout);
}
