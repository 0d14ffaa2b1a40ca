import type { Effect } from '../catalog/define.ts';
import { monotonicNow } from '../kernel/clock.ts';
import type { ClientOptions, RetryTimes } from './client-options.ts';
import type { SendFailure } from './outcome.ts';
import type { CalledOperation } from './request.ts';

const DEFAULT_RETRY_TIMES: RetryTimes = { call: 10_000, job: 30_000 };

/** Maximum attempts per request if the service may have processed an earlier attempt. */
const MAX_ATTEMPTS = { read: 3, keyed: 3, delete: 3, set: 2, once: 1 } as const satisfies Record<
  Effect,
  number
>;
const MAX_UNSENT_ATTEMPTS = 3;
const FIRST_DELAY = 500;
const MAX_DELAY = 5_000;
const MAX_RETRIES = 100;
const RETRIES_PER_SUCCESS = 0.1;

/** Decides for all calls of a client whether a failed request is sent again, and when. */
export function createRetries(options: Pick<ClientOptions, 'clock' | 'random' | 'retryTimes'>) {
  const { clock, random = Math.random, retryTimes = DEFAULT_RETRY_TIMES } = options;
  /** Limits the retries of all calls together, so that they do not overload a failing service. */
  let retriesLeft = MAX_RETRIES;
  /**
   * When a proxy first failed to reach the service since the last success. During a long outage,
   * only the first requests of a job use up the time.
   */
  let outageStart: number | undefined;

  function takeRetry(): boolean {
    if (retriesLeft < 1) return false;
    retriesLeft -= 1;
    return true;
  }

  return {
    recordSuccess(): void {
      retriesLeft = Math.min(MAX_RETRIES, retriesLeft + RETRIES_PER_SUCCESS);
      outageStart = undefined;
    },
    /**
     * Follows one request. The returned function plans the retry after a failure.
     * @returns the milliseconds to wait; `undefined` if the request is not sent again
     */
    follow({ effect, inJob }: Pick<CalledOperation, 'effect' | 'inJob'>) {
      let failures = 0;
      let ownStart = Number.POSITIVE_INFINITY;

      function planUntilReached(delay: number): number | undefined {
        if (effect === 'once') return undefined;
        const now = monotonicNow(clock);
        outageStart ??= now;
        ownStart = Math.min(ownStart, now);
        const end = Math.min(outageStart, ownStart) + retryTimes[inJob ? 'job' : 'call'];
        return end > now ? Math.min(delay, end - now) : undefined;
      }

      return ({ retry }: SendFailure): number | undefined => {
        failures += 1;
        // Full jitter, with a limit that doubles each time.
        const delay = random() * Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (failures - 1));
        if (retry === 'until_reached') return planUntilReached(delay);
        const maxAttempts = retry === 'unsent' ? MAX_UNSENT_ATTEMPTS : MAX_ATTEMPTS[effect];
        const canRetry = (retry === 'unsent' || retry === 'by_effect') && failures < maxAttempts;
        return canRetry && takeRetry() ? delay : undefined;
      };
    },
  };
}
