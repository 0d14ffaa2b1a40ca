import { messageOf } from '../../kernel/errors.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptResult, DeliveryRequest, HttpSender } from './http-sender.ts';

/** An attempt, or the reason why the delivery was not attempted. */
export interface DeliveryAttempt {
  /** RFC 3339, UTC. */
  readonly at: string;
  /** HTTP status, or null without a response. */
  readonly status: number | null;
  readonly error: string | null;
}

/** Formats an attempt as a line of JSON. Appending a line does not require reading the earlier attempts. */
export function formatAttempt(at: number, status: number | null, error: string | null): string {
  const attempt: DeliveryAttempt = { at: new Date(at).toISOString(), status, error };
  return `${JSON.stringify(attempt)}\n`;
}

export function parseAttempts(lines: string): DeliveryAttempt[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

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
