import type { Store } from '../store/store.ts';
import { claimByIds, LEASE, releaseClaims } from './claim.ts';
import type { DeliveryOptions } from './engine.ts';
import { newOwner, retire } from './owner.ts';
import { createPoster } from './post.ts';
import { type DeliveryDetail, findDeliveries } from './records.ts';
import { scheduleOf } from './schedule.ts';
import { send } from './send.ts';
import { settle } from './settle.ts';

/** Milliseconds between two looks at what another process is sending. */
const PAUSE = 100;

export interface OneShot extends DeliveryOptions {
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

/**
 * Makes one attempt of each of these deliveries, now and in this process; one that a serving process has taken is left
 * to it, and waited for. What fails is tried again by whoever serves the store.
 * @returns the deliveries as they are then
 */
export async function deliverPending(
  store: Store,
  options: OneShot,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  await attemptOnce(store, options, ids);
  const { apiKey, clock, signal } = options;
  for (const end = clock.now() + LEASE; ; await clock.sleep(PAUSE, signal)) {
    const details = await findDeliveries(store, apiKey, ids);
    if (details.every(({ record }) => record.attempts.length > 0) || clock.now() >= end) return details;
  }
}

async function attemptOnce(store: Store, options: OneShot, ids: readonly string[]): Promise<void> {
  const { clock, privateTargets, timeScale, signal } = options;
  const owner = newOwner();
  const poster = createPoster({ privateTargets });
  const stop = () => poster.close();
  signal?.addEventListener('abort', stop);
  try {
    const now = clock.now();
    const claimed = await store.writeRelaxed((database) =>
      claimByIds(database, ids, { owner, now, until: now + LEASE }),
    );
    const outcomes = await Promise.all(
      claimed.map(async (delivery) => ({ delivery, answer: await send(poster, delivery, clock.now()) })),
    );
    const settling = { owner, schedule: scheduleOf(timeScale), now: clock.now() };
    await store.writeRelaxed(async (database) => {
      if (signal?.aborted) await releaseClaims(database, owner, clock.now());
      else await settle(database, outcomes, settling);
    });
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener('abort', stop);
    poster.close();
    retire(owner);
  }
}
