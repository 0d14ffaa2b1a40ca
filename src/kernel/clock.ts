/** Time, handed in so that tests can move it. All values are milliseconds; `now` counts from the Unix epoch. */
export interface Clock {
  now(): number;
  /** Counts from any moment, by a clock that nobody sets; left out where `now` is no clock that is set. */
  readonly steady?: () => number;
  /** Resolves after `milliseconds`; rejects with the signal's reason as soon as it aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** For durations and waits: it goes on as it was when the time of day is set. */
export function steadyNow(clock: Clock): number {
  return clock.steady?.() ?? clock.now();
}

/** The time of day, which goes on from where it was when that is set back. */
export function forwardTime(clock: Clock): () => number {
  let [time, steady] = [clock.now(), steadyNow(clock)];
  return () => {
    const now = steadyNow(clock);
    time = Math.max(clock.now(), time + now - steady);
    steady = now;
    return time;
  };
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
