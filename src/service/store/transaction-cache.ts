import type { Database } from './store.ts';

const cachesByTransaction = new WeakMap<Database, Map<string, Promise<unknown>>>();

/**
 * Returns what `load` found earlier in the same transaction, which many calls may share, or loads
 * it. A write that changes the value must call `forgetCached`. Missing values and errors are not
 * cached.
 */
export async function loadOnce<Value>(
  database: Database,
  name: string,
  load: () => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const cache = cachesByTransaction.get(database) ?? new Map<string, Promise<unknown>>();
  cachesByTransaction.set(database, cache);
  const known = cache.get(name);
  if (known !== undefined) return known as Promise<Value | undefined>;
  const loading = load();
  cache.set(name, loading);
  let loaded: Value | undefined;
  try {
    loaded = await loading;
  } finally {
    if (loaded === undefined) cache.delete(name);
  }
  return loaded;
}

/** Forgets all values of a transaction, because it was partly rolled back or changed one of them. */
export function forgetCached(database: Database): void {
  cachesByTransaction.delete(database);
}
