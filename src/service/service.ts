import { createApp, type ServiceWorld } from './app.ts';
import { followUps } from './follow-ups.ts';

export interface Service {
  /** Answers a request in this process, as the network would. */
  readonly fetch: typeof globalThis.fetch;
  /** Resolves once the work that calls left behind is done. Before that the store must not be closed. */
  settled(): Promise<void>;
}

/** The whole service over a store: a Request goes in, a Response comes out, and no port is involved. */
export function createService(world: ServiceWorld): Service {
  const later = followUps(world.store, world.report);
  const app = createApp(world, later);
  return {
    fetch: async (input, init) => app.fetch(input instanceof Request && !init ? input : new Request(input, init)),
    settled: later.settled,
  };
}
