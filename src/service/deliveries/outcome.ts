import type { Claimed } from './claim.ts';
import type { Answer } from './post.ts';

/** How an attempt went. */
export interface Outcome {
  readonly delivery: Claimed;
  readonly answer: Answer;
}

export function isDelivered({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}
