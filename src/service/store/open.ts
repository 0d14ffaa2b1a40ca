import { storeFile } from './location.ts';
import { openSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

const BUSY_TIMEOUT = 10_000;

/**
 * Opens a store, and makes or upgrades it first where that is due.
 * @param location a path, or `sqlite:` and a path
 * @param patience milliseconds that a write waits for another process
 * @throws SvcError `local` when it cannot be used, or was written by a newer svc.
 */
export async function openStore(location: string, patience = BUSY_TIMEOUT): Promise<Store> {
  return openSqliteStore(storeFile(location), patience);
}
