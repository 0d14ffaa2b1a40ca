import { type Clock, monotonicNow } from '../../kernel/clock.ts';

/** Milliseconds of delay to catch up with, so that late timers do not lower the average rate. */
const MAX_CATCH_UP = 25;

/**
 * Limits the rate of records. Each batch starts after the time that the previous ones take at this rate. Any interval has
 * at most the allowed records, plus one batch, plus up to 25 ms of catching up.
 */
export class RecordRate {
  readonly #millisecondsEach: number;
  readonly #clock: Clock;
  /** Earliest start of the next batch. */
  #nextStart: number;

  constructor(perSecond: number, clock: Clock) {
    this.#millisecondsEach = 1000 / perSecond;
    this.#clock = clock;
    this.#nextStart = monotonicNow(clock);
  }

  /** Waits until so many records may be sent. Rejects with the signal's reason. */
  async take(records: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = monotonicNow(this.#clock);
      const start = Math.max(this.#nextStart, now - MAX_CATCH_UP);
      if (start <= now) {
        this.#nextStart = start + records * this.#millisecondsEach;
        return;
      }
      await this.#clock.sleep(Math.ceil(start - now), signal);
    }
  }
}
