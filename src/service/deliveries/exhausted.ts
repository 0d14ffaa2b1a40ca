import { generateId } from '../secrets.ts';
import type { Database } from '../store/store.ts';
import { recordEvent } from './outbox.ts';
import type { AttemptOutcome } from './outcome.ts';
import { loadSubscriptions } from './subscriptions.ts';

/** The event type that reports an exhausted delivery. */
const EXHAUSTED = 'message.attempt.exhausted';

/**
 * Records an event for the endpoints that subscribe to exhausted deliveries. An exhausted delivery of such an event
 * records no further event. The failing endpoint itself receives the event only if it subscribes to this type by name.
 */
export async function recordExhausted(
  database: Database,
  { delivery, result }: AttemptOutcome,
  now: number,
): Promise<void> {
  const { id, apiKey, form, lane, event, tries, claimedAt } = delivery;
  if (form !== 'advanced' || event === EXHAUSTED) return;
  const scope = { database, apiKey };
  const exhausted = {
    event: EXHAUSTED,
    webhookId: generateId(),
    apiKey,
    extra: {
      endpointId: lane,
      messageId: id,
      messageEvent: event,
      attempts: tries + 1,
      lastAttempt: { at: new Date(claimedAt).toISOString(), ...result },
    },
  };
  const subscriptions = await loadSubscriptions(scope);
  await recordEvent(scope, exhausted, { subscriptions, aboutLane: lane, channels: [], now });
}
