export interface RequestTiming {
  /** Duration, including retries and pauses. */
  readonly milliseconds: number;
  /** Milliseconds of waiting for rate limits. */
  readonly waited?: number;
  readonly limited: boolean;
  readonly failed: boolean;
}

/**
 * Minimum requests per window, for a meaningful median. A window has at least as many requests as
 * the limit.
 */
const MIN_SAMPLES = { starting: 2, later: 8 };

/**
 * Thresholds of the estimated queue length: the limit grows below the first and shrinks above the
 * second. For high limits they are a fraction of the limit, because latencies are noisy.
 */
const GROW_BELOW = { requests: 3, part: 1 / 4 };
const SHRINK_ABOVE = { requests: 6, part: 1 / 2 };
/** Minimum significant increase in latency, in milliseconds. Smaller increases are noise. */
const MIN_RISE = 10;
const SHRINK_FACTOR = 0.75;
const FAILURE_FACTOR = 0.5;
const GROWTH_FACTOR = 1.25;
/** Windows between probes, which measure the minimum latency again with half the limit. */
const WINDOWS_PER_PROBE = 50;
/**
 * Number of windows at the maximum without queueing, and minimum latency in milliseconds, that
 * double the maximum.
 */
const WINDOWS_TO_EXTEND = 3;
const LONG_ROUND_TRIP = 10;

/**
 * Finds the number of concurrent requests that a service handles without slowing down. The limit
 * starts at one, doubles until the latency rises or the service rejects requests, and then grows
 * slowly and shrinks fast.
 *
 * The queue length is estimated from the latency, as in TCP Vegas: `n * (1 - fastest / median)` of
 * `n` requests in flight. Both latencies are medians over a window, so that single slow responses
 * have no effect.
 */
export class AdaptiveLimit {
  current = 1;
  readonly #usualMaximum: number;
  #maximum: number;
  #starting = true;
  #fastest = Number.POSITIVE_INFINITY;
  #times: number[] = [];
  #windows = 0;
  #windowsAtMaximum = 0;
  #limitBeforeProbe: number | undefined;
  /**
   * Number of requests in flight that started before the last reduction. Their outcomes must not
   * cause another one.
   */
  #outdatedOutcomes = 0;

  constructor(maximum: number) {
    this.#usualMaximum = maximum;
    this.#maximum = maximum;
  }

  settle({ milliseconds, waited = 0, limited, failed }: RequestTiming): void {
    if (this.#outdatedOutcomes > 0) this.#outdatedOutcomes -= 1;
    else if (limited || failed) this.#backOff();
    else if (waited === 0) this.#times.push(milliseconds);
    const minSamples = this.#starting ? MIN_SAMPLES.starting : MIN_SAMPLES.later;
    if (this.#times.length >= Math.max(minSamples, this.current)) this.#closeWindow();
  }

  #backOff(): void {
    this.#maximum = this.#usualMaximum;
    this.#windowsAtMaximum = 0;
    this.#reduceTo(this.current * FAILURE_FACTOR);
  }

  #closeWindow(): void {
    const medianTime = median(this.#times);
    this.#times = [];
    this.#fastest = Math.min(this.#fastest, medianTime);
    this.#windows += 1;
    if (this.#limitBeforeProbe === undefined) this.#adjust(medianTime);
    else this.current = this.#limitBeforeProbe;
    this.#limitBeforeProbe = undefined;
    if (this.#windows % WINDOWS_PER_PROBE === 0) this.#probe();
  }

  #adjust(medianTime: number): void {
    const queued =
      medianTime - this.#fastest < MIN_RISE ? 0 : this.current * (1 - this.#fastest / medianTime);
    if (queued > this.#threshold(SHRINK_ABOVE)) this.#reduceTo(this.current * SHRINK_FACTOR);
    else if (queued < this.#threshold(GROW_BELOW)) this.#grow();
    else this.#starting = false;
  }

  #threshold({ requests, part }: typeof GROW_BELOW): number {
    return Math.max(requests, part * this.current);
  }

  #grow(): void {
    if (this.current >= this.#maximum) this.#windowsAtMaximum += 1;
    if (this.#windowsAtMaximum >= WINDOWS_TO_EXTEND && this.#fastest >= LONG_ROUND_TRIP)
      this.#maximum = 2 * this.#usualMaximum;
    const grown = this.#starting
      ? this.current * 2
      : Math.max(this.current + 1, Math.floor(this.current * GROWTH_FACTOR));
    this.current = Math.min(this.#maximum, grown);
    if (this.current === this.#usualMaximum) this.#starting = false;
  }

  #reduceTo(limit: number): void {
    this.#outdatedOutcomes = this.current - 1;
    this.current = Math.max(1, Math.floor(limit));
    this.#starting = false;
    this.#limitBeforeProbe = undefined;
    this.#times = [];
  }

  #probe(): void {
    const limit = this.current;
    this.#reduceTo(limit / 2);
    this.#limitBeforeProbe = limit;
    this.#fastest = Number.POSITIVE_INFINITY;
  }
}

function median(times: number[]): number {
  times.sort((a, b) => a - b);
  return times[(times.length - 1) >> 1] ?? 0;
}
