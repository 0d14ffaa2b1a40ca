import type { Store } from '../store/store.ts';

/** Work that runs after the response of a call, in separate transactions. */
export type FollowUp = (store: Store) => Promise<void>;
/** Runs work after responses. */
export interface FollowUps {
  readonly start: (work: readonly FollowUp[]) => void;
  /** Resolves when no work is running. */
  readonly whenIdle: () => Promise<void>;
}

/** @param report receives errors of the work, which no caller waits for */
export function createFollowUps(
  store: Store,
  report: (error: unknown) => void = () => undefined,
): FollowUps {
  const running = new Set<Promise<void>>();
  return {
    start: (work: readonly FollowUp[]) => {
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
