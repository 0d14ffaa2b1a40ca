import type { Auth } from '../../catalog/define.ts';
import type { Database, Store } from '../store/store.ts';

export interface ServiceCall {
  readonly database: Database;
  readonly now: number;
  readonly after: (work: FollowUp) => void;
  /** Trace of the request, if it has one. */
  readonly trace?: string | null;
}

/** A call with an API key. The API key owns all organizations that the call can access. */
export interface KeyCall extends ServiceCall {
  readonly apiKey: string;
}

export type KeyScope = Pick<KeyCall, 'database' | 'apiKey'>;

export interface WorkspaceCall extends ServiceCall {
  readonly workspaceId: string;
}

export type CallOf<Kind extends Auth> = {
  key: KeyCall;
  workspace: WorkspaceCall;
  none: ServiceCall;
}[Kind];

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
