import { LONGEST_TIMER } from './time-limit.ts';

/**
 * Ends what takes longer than it may, many at a time with one timer: each entry has the same time, so the oldest is the
 * next to end. The time is real time, not the clock's: it guards against a peer that hangs.
 */
export class Deadlines<Entry> {
  readonly #milliseconds: number;
  readonly #expire: (entry: Entry) => void;
  readonly #ends = new Map<Entry, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(milliseconds: number, expire: (entry: Entry) => void) {
    this.#milliseconds = Math.min(milliseconds, LONGEST_TIMER);
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
    this.#timer = setTimeout(() => this.#endOld(), milliseconds);
    // What is waited for keeps the process alive; the time alone doesn't.
    this.#timer.unref();
  }

  #endOld(): void {
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
