import { type Clock, steadyNow } from '../../kernel/clock.ts';

/** Milliseconds of lateness that may be caught up with: timers fire late, and a long run should keep its rate all the same. */
const MOST_CAUGHT_UP = 25;

/**
 * A steady number of records a second: each batch starts when those before it have had their time, so that over any
 * time no more goes out than the rate allows, plus one batch, plus what was late by up to 25 ms.
 */
export class RecordRate {
  readonly #millisecondsEach: number;
  readonly #clock: Clock;
  /** When the next batch may start. */
  #free: number;

  constructor(perSecond: number, clock: Clock) {
    this.#millisecondsEach = 1000 / perSecond;
    this.#clock = clock;
    this.#free = steadyNow(clock);
  }

  /** Resolves when so many records may go out; rejects with the signal's reason. */
  async take(records: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = steadyNow(this.#clock);
      const start = Math.max(this.#free, now - MOST_CAUGHT_UP);
      if (start <= now) {
        this.#free = start + records * this.#millisecondsEach;
        return;
      }
      await this.#clock.sleep(Math.ceil(start - now), signal);
    }
  }
}
