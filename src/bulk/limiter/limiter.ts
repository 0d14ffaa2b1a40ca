import type { Clock } from '../../kernel/clock.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';
import type { RequestOutcome } from './outcome.ts';
import { RecordRate } from './record-rate.ts';

/** Says when the next request of a job may start. Each `acquire` that resolves is followed by one `release`. */
export interface Limiter {
  /** Resolves when one more request, of so many records, may start; rejects with the signal's reason. First come, first served. */
  acquire(records: number, signal: AbortSignal): Promise<void>;
  release(outcome: RequestOutcome): void;
  /** How many requests may be in flight now. */
  readonly limit: number;
  readonly inFlight: number;
}

export interface LimiterOptions {
  /** Requests in flight at once: a number, or as many as the service takes without slowing down. */
  readonly concurrency: number | 'auto';
  /** How far `auto` goes; twice as far where the way to the service, and not the service, is what takes long. */
  readonly most: number;
  /** Records a second, on average and over any time but for one batch. A batch larger than this goes out whole. */
  readonly perSecond?: number;
  readonly clock: Clock;
}

export function createLimiter({ concurrency, most, perSecond, clock }: LimiterOptions): Limiter {
  const limit = concurrency === 'auto' ? new AdaptiveLimit(most) : { current: concurrency, settle: () => undefined };
  const rate = perSecond === undefined ? undefined : new RecordRate(perSecond, clock);
  return new SlotLimiter(limit, rate);
}

interface Limit {
  readonly current: number;
  settle(outcome: RequestOutcome): void;
}

/** Goes on with who waits for a slot. */
type Waiter = () => void;

class SlotLimiter implements Limiter {
  readonly #limit: Limit;
  readonly #rate: RecordRate | undefined;
  readonly #waiting = new Set<Waiter>();
  #inFlight = 0;

  constructor(limit: Limit, rate: RecordRate | undefined) {
    this.#limit = limit;
    this.#rate = rate;
  }

  get limit(): number {
    return this.#limit.current;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  async acquire(records: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || this.#inFlight >= this.limit) await this.#turn(signal);
    else this.#inFlight += 1;
    if (!this.#rate) return;
    try {
      await this.#rate.take(records, signal);
    } catch (reason) {
      this.#free();
      throw reason;
    }
  }

  release(outcome: RequestOutcome): void {
    this.#limit.settle(outcome);
    this.#free();
  }

  #free(): void {
    this.#inFlight -= 1;
    for (const waiter of this.#waiting) {
      if (this.#inFlight >= this.limit) return;
      this.#waiting.delete(waiter);
      this.#inFlight += 1;
      waiter();
    }
  }

  /** Waits until a slot is handed over. */
  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
