import { type Clock, monotonicNow } from '../../kernel/clock.ts';
import { AdaptiveLimit, type RequestTiming } from './adaptive-limit.ts';

/**
 * Limits the concurrency and rate of a job. Call `release` once for each `acquire` that resolves.
 */
export interface Limiter {
  /**
   * Waits, in FIFO order, until a request with this many records may start. Rejects with the
   * signal's reason.
   */
  acquire(records: number, signal: AbortSignal): Promise<void>;
  release(outcome: RequestTiming): void;
  readonly limit: number;
  readonly inFlight: number;
}

export interface LimiterOptions {
  /**
   * Maximum number of requests in flight; `auto` adapts it to the response times of the service.
   */
  readonly concurrency: number | 'auto';
  /** Upper bound for `auto`. Doubled if the network, not the service, causes the latency. */
  readonly maximum: number;
  /**
   * Maximum records per second. Any interval may exceed it by one batch, because batches are sent
   * whole.
   */
  readonly perSecond?: number | undefined;
  readonly clock: Clock;
}

export function createLimiter({ concurrency, maximum, perSecond, clock }: LimiterOptions): Limiter {
  const limit: Pick<AdaptiveLimit, 'current' | 'settle'> =
    concurrency === 'auto'
      ? new AdaptiveLimit(maximum)
      : { current: concurrency, settle: () => undefined };
  const waitForRate = perSecond === undefined ? undefined : createRateLimit(perSecond, clock);
  const waiting = new Set<() => void>();
  let inFlight = 0;

  function waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = () => {
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const cancel = () => {
        waiting.delete(waiter);
        reject(signal.reason);
      };
      waiting.add(waiter);
      signal.addEventListener('abort', cancel, { once: true });
    });
  }

  function releaseSlot(): void {
    inFlight -= 1;
    for (const waiter of waiting) {
      if (inFlight >= limit.current) return;
      waiting.delete(waiter);
      inFlight += 1;
      waiter();
    }
  }

  return {
    get limit() {
      return limit.current;
    },
    get inFlight() {
      return inFlight;
    },
    async acquire(records, signal) {
      signal.throwIfAborted();
      if (waiting.size > 0 || inFlight >= limit.current) await waitForSlot(signal);
      else inFlight += 1;
      await waitForRate?.(records, signal).catch((reason: unknown) => {
        releaseSlot();
        throw reason;
      });
    },
    release(outcome) {
      limit.settle(outcome);
      releaseSlot();
    },
  };
}

/**
 * Maximum delay, in milliseconds, that the limiter makes up for, so that late timers do not lower
 * the average rate.
 */
const MAX_CATCH_UP = 25;

/**
 * Limits the rate of records. Each batch starts after the time that the previous ones take at this
 * rate. Any interval exceeds the rate by at most one batch and the records of 25 ms.
 */
function createRateLimit(perSecond: number, clock: Clock) {
  let nextStart = monotonicNow(clock);
  return async (records: number, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const now = monotonicNow(clock);
      const start = Math.max(nextStart, now - MAX_CATCH_UP);
      if (start <= now) {
        nextStart = start + (records * 1000) / perSecond;
        return;
      }
      await clock.sleep(Math.ceil(start - now), signal);
    }
  };
}
