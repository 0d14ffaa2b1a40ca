import { messageOf } from '../../kernel/errors.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptResult, DeliveryRequest, HttpSender } from './http-sender.ts';

export interface AttemptOutcome {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
}

export function isDelivered({ status }: AttemptResult): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Makes an attempt. If the request cannot be created, the attempt fails. */
export async function attemptDelivery(
  sender: HttpSender,
  delivery: ClaimedDelivery,
  now: number,
): Promise<AttemptResult> {
  let request: DeliveryRequest;
  try {
    request = delivery.destination.composeRequest(delivery, now);
  } catch (error) {
    const message = messageOf(error);
    return { status: null, error: message, reason: 'other', milliseconds: null, body: null };
  }
  return sender.send(request);
}
