import type { Effect } from '../catalog/define.ts';
import type { SendFailure } from './outcome.ts';

/** Maximum attempts per request if the service may have processed an earlier attempt. */
const MAX_ATTEMPTS = { read: 3, keyed: 3, delete: 3, set: 2, once: 1 } as const satisfies Record<Effect, number>;

/** Maximum attempts per request while no part of it was sent. */
const MAX_UNSENT_ATTEMPTS = 3;

const FIRST_DELAY = 500;
const MAX_DELAY = 10_000;

/** Whether a request can be retried after this many attempts. */
export function canRetry(effect: Effect, { retry }: SendFailure, attempts: number): boolean {
  switch (retry) {
    case 'unsent':
      return attempts < MAX_UNSENT_ATTEMPTS;
    case 'by_effect':
      return attempts < MAX_ATTEMPTS[effect];
    case 'after_pause':
    case 'never':
      return false;
  }
}

/** Whether a rate-limited request can be retried after the pause. Always false for the effect `once`. */
export function canRetryAfterPause(effect: Effect, { retry }: SendFailure): boolean {
  return retry === 'after_pause' && effect !== 'once';
}

/** Chooses the delay before the next attempt, in milliseconds: full jitter, with a limit that doubles each time. */
export function chooseRetryDelay(attempts: number, random: () => number): number {
  return random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (attempts - 1));
}

const MAX_RETRIES = 100;
const RETRIES_PER_SUCCESS = 0.1;

/** Limits the retries of all calls together, so that retries do not overload a failing service. */
export function createRetryBudget(max = MAX_RETRIES) {
  let remaining = max;
  return {
    /** Takes one retry from the budget. Returns false if the budget is empty. */
    take() {
      if (remaining < 1) return false;
      remaining -= 1;
      return true;
    },
    /** Returns a fraction of a retry to the budget after a success. */
    earn() {
      remaining = Math.min(max, remaining + RETRIES_PER_SUCCESS);
    },
  };
}
