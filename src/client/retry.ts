import type { Effect } from '../catalog/define.ts';
import type { Failed } from './outcome.ts';

/** How often a request is sent where it may have been applied, or been looked at, before. */
const ATTEMPTS = { read: 3, keyed: 3, delete: 3, set: 2, once: 1 } as const satisfies Record<Effect, number>;

/** How often any request is sent as long as nothing of it left. */
const UNSENT_ATTEMPTS = 3;

const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;

/** Whether a request may be sent again after its nth attempt failed. */
export function mayRepeat(effect: Effect, { repeat }: Failed, attempts: number): boolean {
  switch (repeat) {
    case 'unsent':
      return attempts < UNSENT_ATTEMPTS;
    case 'by_effect':
      return attempts < ATTEMPTS[effect];
    case 'after_pause':
    case 'never':
      return false;
  }
}

/** Whether a request that the service put off may be sent again after the pause. One that goes out once never is. */
export function mayWait(effect: Effect, { repeat }: Failed): boolean {
  return repeat === 'after_pause' && effect !== 'once';
}

/** Milliseconds before the next attempt: full jitter, anything from nothing up to a limit that doubles each time. */
export function retryDelay(attempts: number, random: () => number): number {
  return random() * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempts - 1));
}

/** Retries that all calls share, so that a service in trouble is not hit by every call three times over. */
interface RetryBudget {
  /** Takes one retry; false when none is left. */
  take(): boolean;
  /** A success earns a part of a retry back. */
  earn(): void;
}

const MOST_RETRIES = 100;
const EARNED_BY_SUCCESS = 0.1;

export function createRetryBudget(most = MOST_RETRIES): RetryBudget {
  let left = most;
  return {
    take() {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
    earn() {
      left = Math.min(most, left + EARNED_BY_SUCCESS);
    },
  };
}
