import type { Store } from './store/store.ts';

/** Work that follows the response of a call, in its own transactions. */
export type FollowUp = (store: Store) => Promise<void>;

export interface FollowUps {
  start(work: readonly FollowUp[]): void;
  /** Resolves once all started work has finished. */
  whenIdle(): Promise<void>;
}

/** @param report receives the errors of failed work, because no caller waits for it */
export function createFollowUps(store: Store, report: (error: unknown) => void = () => undefined): FollowUps {
  const running = new Set<Promise<void>>();
  return {
    start: (work) => {
      for (const each of work) {
        const run = each(store)
          .catch(report)
          .finally(() => running.delete(run));
        running.add(run);
      }
    },
    whenIdle: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
