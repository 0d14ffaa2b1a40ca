import type { Store } from '../store/store.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import { CLAIM_DURATION, claimByIds, releaseClaims } from './claim.ts';
import type { DeliveryOptions } from './engine.ts';
import { createHttpSender, type HttpSender } from './http-sender.ts';
import { createOwner, retireOwner } from './owner.ts';
import { recordOutcomes } from './record-outcomes.ts';
import { type DeliveryDetail, findDeliveries } from './records.ts';
import { createRetrySchedule } from './schedule.ts';

/** Polling interval for deliveries that wait for another process or a rate limit, in milliseconds. */
const POLL_INTERVAL = 100;

export interface DeliverPendingOptions extends DeliveryOptions {
  readonly apiKey: string;
  readonly signal?: AbortSignal;
}

/** Attempts each delivery once, as soon as the rate limit allows. Waits for attempts of other processes. */
export async function deliverPending(
  store: Store,
  options: DeliverPendingOptions,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const { apiKey, clock, allowPrivateTargets, signal } = options;
  const owner = createOwner();
  const sender = createHttpSender({ allowPrivateTargets });
  const stop = () => sender.close();
  signal?.addEventListener('abort', stop);
  try {
    let unclaimed = ids;
    for (const end = clock.now() + CLAIM_DURATION; ; await clock.sleep(POLL_INTERVAL, signal)) {
      if (unclaimed.length > 0) await attemptAll(store, { ...options, owner, sender }, unclaimed);
      const details = await findDeliveries(store, apiKey, ids);
      const waiting = details.filter(({ record }) => record.attempts.length === 0);
      if (waiting.length === 0 || clock.now() >= end) return details;
      unclaimed = waiting.filter(({ nextAttempt }) => nextAttempt !== undefined).map(({ record }) => record.id);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    sender.close();
    retireOwner(owner);
  }
}

interface AttemptOptions extends DeliverPendingOptions {
  readonly owner: string;
  readonly sender: HttpSender;
}

async function attemptAll(store: Store, options: AttemptOptions, ids: readonly string[]): Promise<void> {
  const { clock, time, timeScale, signal, owner, sender } = options;
  const serviceNow = () => time?.convert(clock.now()) ?? clock.now();
  const now = serviceNow();
  const claim = { owner, now, until: now + CLAIM_DURATION };
  const claimed = await store.writeRelaxed((database) => claimByIds(database, ids, claim));
  const outcomes = await Promise.all(
    claimed.map(async (delivery) => ({ delivery, result: await attemptDelivery(sender, delivery, clock.now()) })),
  );
  const recording = { owner, schedule: createRetrySchedule(timeScale), now: serviceNow() };
  await store.writeRelaxed(async (database) => {
    if (signal?.aborted) await releaseClaims(database, owner, serviceNow());
    else await recordOutcomes(database, outcomes, recording);
  });
  signal?.throwIfAborted();
}
