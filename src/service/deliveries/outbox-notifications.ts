import type { Store } from '../store/store.ts';

const listenersByStore = new WeakMap<Store, Set<() => void>>();

/** Calls `listener` after each commit of this process that adds to the outbox. @returns a function that unsubscribes */
export function onOutboxChange(store: Store, listener: () => void): () => void {
  const listeners = listenersByStore.get(store) ?? new Set();
  listenersByStore.set(store, listeners.add(listener));
  return () => void listeners.delete(listener);
}

/** Notifies the delivery engines of this process and of its peers that the outbox has changed. */
export async function notifyOutboxChange(store: Store): Promise<void> {
  for (const listener of listenersByStore.get(store) ?? []) listener();
  await store.peers?.notify();
}
