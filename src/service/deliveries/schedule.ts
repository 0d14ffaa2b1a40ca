const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Delays after failed attempts, in milliseconds. The first attempt is immediate. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;
/** Time without a successful delivery before an endpoint is disabled, in milliseconds. */
const FAILING_LIMIT = 5 * 24 * HOUR;
/** Times between the attempts of a delivery, in milliseconds. */
export interface RetrySchedule {
  /** Returns the delay after the given number of failed attempts; `undefined` after the last one. */
  readonly delayAfter: (tries: number) => number | undefined;
  /** Returns the time from the given attempt to the last one, if all of them fail. */
  readonly periodAfter: (tries: number) => number;
  /** Time without a successful delivery before an endpoint is disabled. */
  readonly disableAfter: number;
}

/** @param scale multiplier for all times */
export function createRetrySchedule(scale = 1): RetrySchedule {
  return {
    delayAfter: (tries: number) => {
      const delay = DELAYS[tries - 1];
      return delay === undefined ? undefined : delay * scale;
    },
    periodAfter: (tries: number) =>
      DELAYS.slice(tries - 1).reduce((period, delay) => period + delay, 0) * scale,
    disableAfter: FAILING_LIMIT * scale,
  };
}
