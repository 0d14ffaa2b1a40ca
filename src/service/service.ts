import { createApp, type ServiceWorld } from './app.ts';

export interface Service {
  /** Answers a request in this process, as the network would. */
  readonly fetch: typeof globalThis.fetch;
}

/** The whole service over a store: a Request goes in, a Response comes out, and no port is involved. */
export function createService(world: ServiceWorld): Service {
  const app = createApp(world);
  return {
    fetch: async (input, init) => app.fetch(input instanceof Request && !init ? input : new Request(input, init)),
  };
}
