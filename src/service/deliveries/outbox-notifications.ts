import type { Store } from '../store/store.ts';

const listenersByStore = new WeakMap<Store, Set<() => void>>();

/**
 * Calls `listener` after each commit that adds deliveries.
 * @returns a function that unsubscribes
 */
export function onOutboxChange(store: Store, listener: () => void): () => void {
  const listeners = listenersByStore.get(store) ?? new Set();
  listenersByStore.set(store, listeners.add(listener));
  const unsubscribe = store.signals?.subscribe(listener);
  return () => {
    listeners.delete(listener);
    unsubscribe?.();
  };
}

/**
 * Notifies the engines of this process, or without any, the other processes on this machine.
 * Notifies all peers.
 */
export async function notifyOutboxChange(store: Store): Promise<void> {
  const listeners = listenersByStore.get(store) ?? new Set();
  for (const listener of listeners) listener();
  await (listeners.size === 0 ? store.signals?.send() : undefined);
  await store.peers?.notify();
}
