import { parseStoreLocation } from './location.ts';
import type { Store } from './store.ts';

const BUSY_TIMEOUT = 10_000;

export interface OpenStoreOptions {
  /** How long a write waits for other processes, in milliseconds. */
  readonly busyTimeout?: number;
  /** Aborts opening the store, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a store. Creates or upgrades it first if necessary.
 * @param location a path, `sqlite:` and a path, or the URL of a PostgreSQL database
 * @throws SvcError `local` if the store cannot be used or was written by a newer svc; also the errors of
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
