/** Time in seconds after which the weight of past work drops to about a third. */
const TIME_CONSTANT = 10;

/** Estimates a rate as an exponentially weighted average. */
export class RateEstimator {
  #now: number;
  #done: number;
  #weighted = { done: 0, seconds: 0 };

  /** @param now milliseconds */
  constructor(now: number, done: number) {
    this.#now = now;
    this.#done = done;
  }

  /** Updates the estimate. Returns units per second. */
  update(now: number, done: number): number {
    const seconds = Math.max(0, now - this.#now) / 1000;
    const kept = Math.exp(-seconds / TIME_CONSTANT);
    this.#weighted = {
      done: this.#weighted.done * kept + (done - this.#done),
      seconds: this.#weighted.seconds * kept + seconds,
    };
    this.#now = now;
    this.#done = done;
    return this.#weighted.seconds > 0 ? this.#weighted.done / this.#weighted.seconds : 0;
  }
}
