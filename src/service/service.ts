import { createApp, type ServiceWorld } from './app.ts';
import { fetchOf } from './fetch.ts';
import { followUps } from './follow-ups.ts';
import type { Answerer } from './request.ts';

export interface Service {
  /** Answers a request, of whichever kind. */
  readonly answer: Answerer;
  /** Answers a request in this process, as the network would. */
  readonly fetch: typeof globalThis.fetch;
  /** Resolves once the work that calls left behind is done. Before that the store must not be closed. */
  settled(): Promise<void>;
}

/** The whole service over a store: a request goes in, an answer comes out, and no port is involved. */
export function createService(world: ServiceWorld): Service {
  const later = followUps(world.store, world.report);
  const answer = createApp(world, later);
  return { answer, fetch: fetchOf(answer), settled: later.settled };
}
