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
export async function attemptDelivery(sender: HttpSender, delivery: ClaimedDelivery, now: number): Promise<AttemptResult> {
  const request = composeRequest(delivery, now);
  return typeof request === 'string' ? { status: null, error: request } : sender.send(request);
}

/** Creates the request of an attempt, or returns the reason why it cannot be created. */
function composeRequest(delivery: ClaimedDelivery, now: number): DeliveryRequest | string {
  try {
    return delivery.destination.composeRequest(delivery, now);
  } catch (error) {
    return messageOf(error);
  }
}
