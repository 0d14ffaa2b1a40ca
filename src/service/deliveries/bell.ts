import type { Store } from '../store/store.ts';

const listening = new WeakMap<Store, Set<() => void>>();

/** Calls `listener` each time that this process has committed something to the outbox. @returns a function that ends it */
export function onOutbox(store: Store, listener: () => void): () => void {
  const listeners = listening.get(store) ?? new Set();
  listening.set(store, listeners.add(listener));
  return () => void listeners.delete(listener);
}

/** Tells those who deliver, in whatever process, that the outbox has something new. */
export async function announce(store: Store): Promise<void> {
  for (const listener of listening.get(store) ?? []) listener();
  await store.peers?.tell();
}
