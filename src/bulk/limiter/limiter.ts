import { type Clock, monotonicNow } from '../../kernel/clock.ts';
import { AdaptiveLimit, type RequestTiming } from './adaptive-limit.ts';

/** Limits the concurrency and rate of a job. Call `release` once for each `acquire` that resolves. */
export interface Limiter {
  /** Waits, in FIFO order, until a request with this many records may start. Rejects with the signal's reason. */
  acquire(records: number, signal: AbortSignal): Promise<void>;
  release(outcome: RequestTiming): void;
  readonly limit: number;
  readonly inFlight: number;
}

export interface LimiterOptions {
  /** Maximum number of requests in flight; `auto` adapts it to the response times of the service. */
  readonly concurrency: number | 'auto';
  /** Upper bound for `auto`. Doubled if the network, not the service, causes the latency. */
  readonly maximum: number;
  /** Maximum records per second. Any interval may exceed it by one batch, because batches are sent whole. */
  readonly perSecond?: number | undefined;
  readonly clock: Clock;
}

export function createLimiter({ concurrency, maximum, perSecond, clock }: LimiterOptions): Limiter {
  const limit = concurrency === 'auto' ? new AdaptiveLimit(maximum) : { current: concurrency, settle: () => undefined };
  const rate = perSecond === undefined ? undefined : new RecordRate(perSecond, clock);
  return new SlotLimiter(limit, rate);
}

interface ConcurrencyLimit {
  readonly current: number;
  settle(outcome: RequestTiming): void;
}

type Waiter = () => void;

class SlotLimiter implements Limiter {
  readonly #limit: ConcurrencyLimit;
  readonly #rate: RecordRate | undefined;
  readonly #waiting = new Set<Waiter>();
  inFlight = 0;

  constructor(limit: ConcurrencyLimit, rate: RecordRate | undefined) {
    this.#limit = limit;
    this.#rate = rate;
  }

  get limit(): number {
    return this.#limit.current;
  }

  async acquire(records: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || this.inFlight >= this.limit) await this.#waitForSlot(signal);
    else this.inFlight += 1;
    if (!this.#rate) return;
    try {
      await this.#rate.take(records, signal);
    } catch (reason) {
      this.#releaseSlot();
      throw reason;
    }
  }

  release(outcome: RequestTiming): void {
    this.#limit.settle(outcome);
    this.#releaseSlot();
  }

  #releaseSlot(): void {
    this.inFlight -= 1;
    for (const waiter of this.#waiting) {
      if (this.inFlight >= this.limit) return;
      this.#waiting.delete(waiter);
      this.inFlight += 1;
      waiter();
    }
  }

  #waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }
}

/** Maximum delay, in milliseconds, that the limiter makes up for, so that late timers do not lower the average rate. */
const MAX_CATCH_UP = 25;

/**
 * Limits the rate of records. Each batch starts after the time that the previous ones take at this rate. Any interval
 * exceeds the rate by at most one batch and the records of 25 ms.
 */
class RecordRate {
  readonly #millisecondsEach: number;
  readonly #clock: Clock;
  #nextStart: number;

  constructor(perSecond: number, clock: Clock) {
    this.#millisecondsEach = 1000 / perSecond;
    this.#clock = clock;
    this.#nextStart = monotonicNow(clock);
  }

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
