import type { Store } from './store/store.ts';

/** Work that a call leaves to be done after its answer, in transactions of its own. */
export type FollowUp = (store: Store) => Promise<void>;

export interface FollowUps {
  start(work: readonly FollowUp[]): void;
  /** Resolves once nothing that was started is left to do. */
  settled(): Promise<void>;
}

/** @param report told of work that failed, which nobody waits for */
export function followUps(store: Store, report: (error: unknown) => void = () => undefined): FollowUps {
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
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
