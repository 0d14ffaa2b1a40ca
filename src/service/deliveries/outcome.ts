import type { ClaimedDelivery } from './claim.ts';
import type { AttemptResult } from './http-sender.ts';

export interface AttemptOutcome {
  readonly delivery: ClaimedDelivery;
  readonly result: AttemptResult;
}

export function isDelivered({ status }: AttemptResult): boolean {
  return status !== null && status >= 200 && status < 300;
}
