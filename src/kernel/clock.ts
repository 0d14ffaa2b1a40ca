import { setTimeout } from 'node:timers/promises';
import { monotonicTime } from './process.ts';

/**
 * Source of time, injected so that tests can control it. All values are milliseconds; `now` counts
 * from the Unix epoch.
 */
export interface Clock {
  now(): number;
  /** Monotonic time with an arbitrary origin. Omitted if `now` is itself monotonic, as in tests. */
  readonly monotonic?: () => number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Returns the time for measuring durations and timeouts. Changes to the system clock don't affect
 * it.
 */
export function monotonicNow(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/**
 * Creates a clock for the time of day that never runs backward, even if the system time is set
 * back.
 */
export function createNonDecreasingTime(clock: Clock): () => number {
  let [time, previous] = [clock.now(), monotonicNow(clock)];
  return () => {
    const now = monotonicNow(clock);
    time = Math.max(clock.now(), time + now - previous);
    previous = now;
    return time;
  };
}

/** The longest timer in milliseconds. A longer one would fire at once. */
export const MAX_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: monotonicTime,
  sleep: async (milliseconds, signal) => {
    let rest = milliseconds;
    do {
      await setTimeout(Math.min(rest, MAX_TIMER), undefined, signal && { signal }).catch(() => {
        throw signal?.reason;
      });
      rest -= MAX_TIMER;
    } while (rest > 0);
  },
};
