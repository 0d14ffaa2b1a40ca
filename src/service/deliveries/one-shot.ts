import type { Store } from '../store/store.ts';
import { claimByIds, LEASE, releaseClaims } from './claim.ts';
import type { DeliveryOptions } from './engine.ts';
import { newOwner, retire } from './owner.ts';
import { createPoster, type Poster } from './post.ts';
import { type DeliveryDetail, findDeliveries } from './records.ts';
import { scheduleOf } from './schedule.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';

/** Milliseconds between two looks at deliveries that another process is sending, or that a rate limit holds back. */
const PAUSE = 100;

export interface OneShot extends DeliveryOptions {
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

/**
 * Makes one attempt of each of these deliveries in this process, as soon as the rate limit of its endpoint allows. An
 * attempt that a serving process has taken is waited for. Failed deliveries are retried by whoever serves the store.
 * @returns the deliveries as they are then
 */
export async function deliverPending(
  store: Store,
  options: OneShot,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const { apiKey, clock, privateTargets, signal } = options;
  const owner = newOwner();
  const poster = createPoster({ privateTargets });
  const stop = () => poster.close();
  signal?.addEventListener('abort', stop);
  try {
    let free = ids;
    for (const end = clock.now() + LEASE; ; await clock.sleep(PAUSE, signal)) {
      if (free.length > 0) await attempt(store, { ...options, owner, poster }, free);
      const details = await findDeliveries(store, apiKey, ids);
      const waiting = details.filter(({ record }) => record.attempts.length === 0);
      if (waiting.length === 0 || clock.now() >= end) return details;
      free = waiting.filter(({ nextAttempt }) => nextAttempt !== undefined).map(({ record }) => record.id);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    poster.close();
    retire(owner);
  }
}

interface Attempting extends OneShot {
  readonly owner: string;
  readonly poster: Poster;
}

/** Makes an attempt of each of these deliveries that can be claimed now. */
async function attempt(store: Store, options: Attempting, ids: readonly string[]): Promise<void> {
  const { clock, timeScale, signal, owner, poster } = options;
  const now = clock.now();
  const claimed = await store.writeRelaxed((database) => claimByIds(database, ids, { owner, now, until: now + LEASE }));
  const outcomes = await Promise.all(
    claimed.map(async (delivery) => ({ delivery, answer: await send(poster, delivery, clock.now()) })),
  );
  const settling = { owner, schedule: scheduleOf(timeScale), now: clock.now() };
  await store.writeRelaxed(async (database) => {
    if (signal?.aborted) await releaseClaims(database, owner, clock.now());
    else await settle(database, outcomes, settling);
  });
  signal?.throwIfAborted();
}
