import { parseStoreLocation } from './location.ts';
import type { Store } from './store.ts';

const BUSY_TIMEOUT = 10_000;

export interface OpenStoreOptions {
  /** Time that a write waits for other processes, in milliseconds. */
  readonly busyTimeout?: number;
  /** Cancels the opening of the store. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a store. Creates or upgrades the store if necessary.
 * @param location a path, `sqlite:` followed by a path, or the URL of a PostgreSQL database
 * @throws SvcError `local` if the store is not usable or was written by a newer svc; also the errors of
 * `openPostgresStore`
 */
export async function openStore(location: string, options: OpenStoreOptions = {}): Promise<Store> {
  const { busyTimeout = BUSY_TIMEOUT, signal } = options;
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'database') {
    return (await import('./postgres-store.ts')).openPostgresStore(parsed.url, busyTimeout, signal);
  }
  return (await import('./sqlite-store.ts')).openSqliteStore(parsed.path, busyTimeout);
}
