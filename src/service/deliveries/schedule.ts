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
export type RetrySchedule = ReturnType<typeof createRetrySchedule>;

/** @param scale multiplier for all times */
export function createRetrySchedule(scale = 1) {
  return {
    /**
     * Returns the delay after the given number of failed attempts, in milliseconds. Undefined after
     * the last one.
     */
    delayAfter: (tries: number) => {
      const delay = DELAYS[tries - 1];
      return delay === undefined ? undefined : delay * scale;
    },
    disableAfter: FAILING_LIMIT * scale,
  };
}
