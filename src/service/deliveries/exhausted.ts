import { newId } from '../secrets.ts';
import type { Database } from '../store/store.ts';
import { audienceOf } from './audience.ts';
import { recordEvent } from './outbox.ts';
import type { Outcome } from './outcome.ts';

/** Tells of a delivery that was given up. */
const EXHAUSTED = 'message.attempt.exhausted';

/**
 * Tells the endpoints that want to know that the last attempt of a delivery has failed. Such a notice that cannot be
 * delivered itself causes no other, and the endpoint that it is about gets it only where it names this event type.
 */
export async function noticeExhausted(database: Database, { delivery, answer }: Outcome, now: number): Promise<void> {
  const { id, apiKey, form, lane, event, tries, claimedAt } = delivery;
  if (form !== 'advanced' || event === EXHAUSTED) return;
  const scope = { database, apiKey };
  const notice = {
    event: EXHAUSTED,
    webhookId: newId(),
    apiKey,
    extra: {
      endpointId: lane,
      messageId: id,
      messageEvent: event,
      attempts: tries + 1,
      lastAttempt: { at: new Date(claimedAt).toISOString(), ...answer },
    },
  };
  await recordEvent(scope, notice, { audience: await audienceOf(scope), about: lane, channels: [], now });
}
