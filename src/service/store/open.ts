import { storePlace } from './location.ts';
import type { Store } from './store.ts';

const BUSY_TIMEOUT = 10_000;

export interface OpenOptions {
  /** Milliseconds that a write waits for another process. */
  readonly patience?: number;
  /** Ends the opening, with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Opens a store, and makes or upgrades it first where that is due.
 * @param location a path, `sqlite:` and a path, or the URL of a PostgreSQL database
 * @throws SvcError `local` when it cannot be used, or was written by a newer svc; of a server what `openPostgresStore` says.
 */
export async function openStore(location: string, options: OpenOptions = {}): Promise<Store> {
  const { patience = BUSY_TIMEOUT, signal } = options;
  const place = storePlace(location);
  if (place.kind === 'database') {
    return (await import('./postgres-store.ts')).openPostgresStore(place.url, { patience, signal });
  }
  return (await import('./sqlite-store.ts')).openSqliteStore(place.path, patience);
}
