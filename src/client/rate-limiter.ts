import { monotonicNow } from '../kernel/clock.ts';
import type { ClientOptions } from './client-options.ts';
import type { SendFailure } from './outcome.ts';
import { SlowStart } from './slow-start.ts';

/** Default pause for a rate limit of the service itself, in milliseconds. */
const SERVICE_PAUSE = 60_000;
const MIN_PAUSE = 1_000;
/** The longest pause to adopt from another process, in milliseconds. */
export const MAX_PAUSE = 60 * 60_000;
const MAX_JITTER = 15_000;

export function createRateLimiter(options: ClientOptions) {
  const {
    clock,
    random = Math.random,
    maxWait,
    signal,
    observe,
    sharedRateLimit: shared,
  } = options;
  const slowStart = new SlowStart();
  let remainingWait = maxWait;
  const monotonic = () => monotonicNow(clock);
  /** Monotonic time, so that setting the system clock back does not extend a pause. */
  let resumesAt = Number.NEGATIVE_INFINITY;
  let observedPause: number | undefined;
  /** Ends of the pauses that this process announced, which it may read back later. */
  const announcedPauses = new Set<number>();
  /** Consecutive pauses whose length the service did not specify. */
  let unspecifiedPauses = 0;

  /**
   * Pauses for the given milliseconds. If that exceeds the remaining waiting time, only returns the
   * total waiting time that it needs.
   * @param withJitter whether to add a random time, for processes that do not share the pause
   */
  function extendPause(
    milliseconds: number,
    reason: string,
    withJitter: boolean,
  ): number | undefined {
    const now = monotonic();
    const from = Math.max(resumesAt, now);
    const pause = now + milliseconds - from;
    if (pause > remainingWait) return maxWait - remainingWait + pause;
    const jitter = withJitter ? random() * Math.min(MAX_JITTER, pause / 4) : 0;
    const jittered = Math.min(remainingWait, pause + jitter);
    remainingWait -= jittered;
    resumesAt = from + jittered;
    slowStart.begin();
    observe?.({ kind: 'waiting', untilEpoch: clock.now() + resumesAt - now, reason });
    return undefined;
  }

  /**
   * Adopts the pause of another process as it is: processes that resume at the same moment, with one
   * request each, get equal shares of the rate.
   */
  function adoptSharedPause(): void {
    const until = shared?.pausedUntil();
    if (until === undefined || until === observedPause || announcedPauses.has(until)) return;
    observedPause = until;
    const pause = until - clock.now();
    if (pause <= MAX_PAUSE && pause > Math.max(0, resumesAt - monotonic()))
      extendPause(pause, PEER_RATE_LIMIT, false);
  }

  async function waitForPause(): Promise<void> {
    adoptSharedPause();
    for (let waitedFor = monotonic(); resumesAt > waitedFor; adoptSharedPause()) {
      waitedFor = resumesAt;
      await clock.sleep(Math.max(0, resumesAt - monotonic()), signal);
    }
  }

  /** @param isHandled whether the service processed the request instead of limiting it */
  function release(isHandled: boolean): void {
    if (isHandled) unspecifiedPauses = 0;
    slowStart.release(isHandled);
  }

  function chooseUnspecifiedPause(): number {
    const pause = Math.min(SERVICE_PAUSE, MIN_PAUSE * 2 ** unspecifiedPauses);
    unspecifiedPauses += 1;
    return pause;
  }

  return {
    /**
     * Resolves when a request may be sent, with a function that releases its slot; rejects with the
     * signal's reason.
     */
    async acquire() {
      for (;;) {
        await waitForPause();
        await slowStart.acquire(signal);
        // A new pause may have started while this request was queued.
        if (resumesAt <= monotonic()) return release;
        slowStart.release(false);
      }
    },
    /**
     * Pauses for as long as the response asks for. Otherwise, pauses for a minute if the service
     * itself limits the rate, or for a time that doubles until a success. Keeps a current pause
     * that is at least as long.
     * @returns the total waiting time that the pause needs, in milliseconds, if svc may not wait that
     *   long; `undefined` after a pause
     */
    pause({
      retryAfter: requested,
      isServiceRateLimit,
      isUnavailable,
    }: Pick<SendFailure, 'retryAfter' | 'isServiceRateLimit' | 'isUnavailable'>):
      | number
      | undefined {
      adoptSharedPause();
      const remainingPause = resumesAt - monotonic();
      // Requests in flight when a pause starts are rate limited as well. Only a longer pause
      // replaces the current one.
      if (remainingPause > 0 && (requested ?? 0) <= remainingPause) return undefined;
      const pause = requested ?? (isServiceRateLimit ? SERVICE_PAUSE : chooseUnspecifiedPause());
      const neededWait = extendPause(pause, isUnavailable ? UNAVAILABLE : OWN_RATE_LIMIT, true);
      if (neededWait !== undefined) return neededWait;
      const until = clock.now() + resumesAt - monotonic();
      announcedPauses.add(until);
      shared?.pauseUntil(until);
      return undefined;
    },
  };
}

const OWN_RATE_LIMIT = "the service's rate limit";
const UNAVAILABLE = 'the service, which is unavailable';
const PEER_RATE_LIMIT = "the service's rate limit, reported by another svc process";
