import type { Clock } from '../../kernel/clock.ts';
import type { Store } from '../store/store.ts';

/** A wait that can be ended early. A wake-up outside of a wait ends the next wait. */
export interface Wakeup {
  readonly wake: () => void;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export function createWakeup(clock: Clock): Wakeup {
  let isPending = false;
  let currentWait: AbortController | undefined;
  const wake = () => {
    isPending = true;
    currentWait?.abort(WOKEN);
  };
  return {
    wake,
    wait: async (milliseconds: number) => {
      if (!isPending) {
        currentWait = new AbortController();
        await clock.sleep(milliseconds, currentWait.signal).catch(ignoreWake);
        currentWait = undefined;
      }
      isPending = false;
    },
  };
}

const WOKEN = new Error('woken');

function ignoreWake(error: unknown): void {
  if (error !== WOKEN) throw error;
}

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
