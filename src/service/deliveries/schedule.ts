const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** From each failed attempt to the next one, in milliseconds. The first attempt is made at once. */
const DELAYS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** An endpoint that has answered nothing with success for so long is disabled. */
const FAILING_LIMIT = 5 * 24 * HOUR;

/** When what failed is tried again. */
export interface Schedule {
  /** Milliseconds from a failed attempt to the next; `undefined` after the last. `tries` counts the failed one. */
  delayAfter(tries: number): number | undefined;
  /** Milliseconds without a success after which an endpoint is disabled. */
  readonly failingLimit: number;
}

/** @param scale what every delay is multiplied by */
export function scheduleOf(scale = 1): Schedule {
  return {
    delayAfter: (tries) => {
      const delay = DELAYS[tries - 1];
      return delay === undefined ? undefined : delay * scale;
    },
    failingLimit: FAILING_LIMIT * scale,
  };
}
