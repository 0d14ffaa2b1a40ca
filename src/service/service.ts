import { createApp, type ServiceDependencies } from './app.ts';
import { createFetch } from './fetch.ts';
import { createFollowUps } from './follow-ups.ts';
import type { RequestHandler } from './request.ts';

export interface Service {
  /** Handles a request from any transport. */
  readonly handle: RequestHandler;
  /** Handles a request in this process, like a server on the network. */
  readonly fetch: typeof globalThis.fetch;
  /** Resolves once all follow-ups have finished. The store must stay open until then. */
  whenIdle(): Promise<void>;
}

/** Creates the service on a store. The service opens no port. */
export function createService(dependencies: ServiceDependencies): Service {
  const followUps = createFollowUps(dependencies.store, dependencies.report);
  const handle = createApp(dependencies, followUps);
  return { handle, fetch: createFetch(handle), whenIdle: followUps.whenIdle };
}
