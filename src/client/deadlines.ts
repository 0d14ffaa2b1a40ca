import { MAX_TIMER } from './time-limit.ts';

/** Expires entries with the same time limit by a single timer. Uses real time, because it guards against a hanging server. */
export class Deadlines<Entry> {
  readonly #milliseconds: number;
  readonly #expire: (entry: Entry) => void;
  readonly #ends = new Map<Entry, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, expire: (entry: Entry) => void) {
    this.#milliseconds = Math.min(milliseconds, MAX_TIMER);
    this.#expire = expire;
  }

  add(entry: Entry): void {
    this.#ends.set(entry, performance.now() + this.#milliseconds);
    if (!this.#timer) this.#wait(this.#milliseconds);
  }

  delete(entry: Entry): void {
    this.#ends.delete(entry);
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#expireOverdue(), milliseconds);
    // Only the pending requests keep the process alive.
    this.#timer.unref();
  }

  #expireOverdue(): void {
    this.#timer = undefined;
    for (const [entry, end] of this.#ends) {
      const left = end - performance.now();
      if (left > 0) {
        this.#wait(Math.ceil(left));
        return;
      }
      this.#ends.delete(entry);
      this.#expire(entry);
    }
  }
}
