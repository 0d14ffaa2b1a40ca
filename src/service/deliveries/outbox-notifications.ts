import type { Store } from '../store/store.ts';

const listenersByStore = new WeakMap<Store, Set<() => void>>();

/** Calls `listener` after each commit of this process that adds deliveries. @returns a function that unsubscribes */
export function onOutboxChange(store: Store, listener: () => void): () => void {
  const listeners = listenersByStore.get(store) ?? new Set();
  listenersByStore.set(store, listeners.add(listener));
  return () => void listeners.delete(listener);
}

export async function notifyOutboxChange(store: Store): Promise<void> {
  for (const listener of listenersByStore.get(store) ?? []) listener();
  await store.peers?.notify();
}
