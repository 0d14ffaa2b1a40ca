import type { Store } from '../store/store.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { CLAIM_DURATION, claimByIds, releaseClaims } from './claim.ts';
import { ClaimOwner } from './claim-owner.ts';
import type { DeliveryOptions } from './engine.ts';
import { createHttpSender } from './http-sender.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { type DeliveryDetail, findDeliveries } from './records.ts';
import { createRetrySchedule } from './schedule.ts';

/**
 * Polling interval for deliveries that wait for another process or a rate limit, in milliseconds.
 */
const POLL_INTERVAL = 100;

export interface DeliverPendingOptions extends DeliveryOptions {
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

/**
 * Attempts each delivery once, as soon as the rate limit allows. Waits for attempts of other
 * processes.
 */
export async function deliverPending(
  store: Store,
  { apiKey, clock, time, timeScale, allowPrivateTargets, signal }: DeliverPendingOptions,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const owner = new ClaimOwner(store);
  const sender = createHttpSender({ allowPrivateTargets });
  const schedule = createRetrySchedule(timeScale);
  const serviceNow = () => time?.convert(clock.now()) ?? clock.now();
  const attemptAll = async (unclaimed: readonly string[]) => {
    const now = serviceNow();
    const claim = { owner: owner.name, now, until: now + CLAIM_DURATION };
    const claimed = await store.writeRelaxed((database) => claimByIds(database, unclaimed, claim));
    const outcomes = await Promise.all(
      claimed.map(async (delivery) => ({
        delivery,
        result: await attemptDelivery(sender, delivery, clock.now()),
      })),
    );
    const recordedAt = serviceNow();
    await store.writeRelaxed(async (database) => {
      if (signal?.aborted) await releaseClaims(database, owner.name, recordedAt);
      else
        await recordOutcomes(database, outcomes, { owner: owner.name, schedule, now: recordedAt });
    });
    signal?.throwIfAborted();
  };
  const stop = () => sender.close();
  signal?.addEventListener('abort', stop);
  try {
    let unclaimed = ids;
    for (const end = clock.now() + CLAIM_DURATION; ; await clock.sleep(POLL_INTERVAL, signal)) {
      if (unclaimed.length > 0) await attemptAll(unclaimed);
      const details = await findDeliveries(store, apiKey, ids);
      const waiting = details.filter(({ record }) => record.attempts.length === 0);
      if (waiting.length === 0 || clock.now() >= end) return details;
      unclaimed = waiting
        .filter(({ nextAttempt }) => nextAttempt !== undefined)
        .map(({ record }) => record.id);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    sender.close();
    owner.retire();
  }
}
