/** Seconds after which what was done counts for about a third of what is done now. */
const MEMORY = 10;

/** How fast something goes on, smoothed: an average in which the past fades. */
export class Pace {
  #now: number;
  #done: number;
  /** What was done in how many seconds, faded. */
  #weighted = { done: 0, seconds: 0 };

  /** @param now milliseconds */
  constructor(now: number, done: number) {
    this.#now = now;
    this.#done = done;
  }

  /** What is done in a second, as of this moment. */
  at(now: number, done: number): number {
    const seconds = Math.max(0, now - this.#now) / 1000;
    const kept = Math.exp(-seconds / MEMORY);
    this.#weighted = {
      done: this.#weighted.done * kept + (done - this.#done),
      seconds: this.#weighted.seconds * kept + seconds,
    };
    this.#now = now;
    this.#done = done;
    return this.#weighted.seconds > 0 ? this.#weighted.done / this.#weighted.seconds : 0;
  }
}
