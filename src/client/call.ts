import type { Effect } from '../catalog/define.ts';
import { monotonicNow } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import type { SendOnce } from './attempt.ts';
import type { ClientOptions, RetryTimes } from './client-options.ts';
import { createFinalError, resolveRepeatedDelete } from './final-error.ts';
import type { SendFailure, SendSuccess } from './outcome.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { CalledOperation, WireRequest } from './request.ts';
import { withNeededWait } from './retry-after.ts';

export interface CallStats {
  readonly retries: number;
  readonly waits: number;
  readonly waited: number;
  readonly hadUnknownAttempt: boolean;
}

export type SendWithRetries = (
  operation: CalledOperation,
  request: WireRequest,
) => Promise<CallStats & { success: SendSuccess }>;

export function createSendWithRetries(options: ClientOptions, sendOnce: SendOnce): SendWithRetries {
  const { clock, observe, signal } = options;
  const rateLimiter = createRateLimiter(options);
  const retryPolicy = createRetries(options);

  async function backOff(
    { error }: SendFailure,
    inMilliseconds: number,
    attempt: number,
  ): Promise<void> {
    observe?.({ kind: 'retry', attempt, inMilliseconds, reason: error.message });
    await clock.sleep(inMilliseconds, signal);
  }

  function describeInterruption(reason: unknown): unknown {
    if (!(signal?.aborted && reason === signal.reason && reason instanceof SvcError)) return reason;
    return new SvcError(
      reason.failure,
      `${reason.message}: the request was in flight and may have been applied`,
      {
        cause: reason,
      },
    );
  }

  async function sendWhenAdmitted(
    operation: CalledOperation,
    request: WireRequest,
    attempt: number,
  ) {
    const started = monotonicNow(clock);
    if (!operation.bulk) signal?.throwIfAborted();
    const release = await rateLimiter.acquire();
    // Rounds down: admission without a pause takes less than a millisecond and does not count as
    // waiting.
    const waited = Math.floor(monotonicNow(clock) - started);
    let isHandled = false;
    try {
      const outcome = await sendOnce(operation, request, attempt);
      isHandled = outcome.kind === 'success' || outcome.retry === 'never';
      if (outcome.kind === 'success' || !isRetriedAfterPause(operation, outcome))
        return { outcome, waited };
      // The pause starts before this request releases its slot, so that no waiting request is sent
      // first.
      const neededWait = rateLimiter.pause(outcome);
      return neededWait === undefined
        ? { outcome, waited, paused: true }
        : { outcome: withNeededWait(outcome, neededWait), waited };
    } catch (error) {
      throw operation.effect === 'read' ? error : describeInterruption(error);
    } finally {
      release(isHandled);
    }
  }

  return async (operation, request) => {
    const { effect } = operation;
    const planRetry = retryPolicy.follow(operation);
    let waits = 0;
    let waited = 0;
    let hadUnknownAttempt = false;
    let unknown: SvcError | undefined;
    // After an attempt that may have been applied, an aborted wait throws that attempt's error, not
    // the abort reason.
    const throwUnknownOr = (reason: unknown): never => {
      throw unknown ?? reason;
    };
    for (let attempt = 1; ; attempt += 1) {
      const { outcome, paused, ...rest } = await sendWhenAdmitted(
        operation,
        request,
        attempt,
      ).catch(throwUnknownOr);
      waited += rest.waited;
      if (outcome.kind === 'success') {
        retryPolicy.recordSuccess();
        return { success: outcome, retries: attempt - 1, waits, waited, hadUnknownAttempt };
      }
      const done = resolveRepeatedDelete(effect, outcome, hadUnknownAttempt);
      if (done) return { success: done, retries: attempt - 1, waits, waited, hadUnknownAttempt };
      hadUnknownAttempt ||= outcome.applied === 'maybe' && effect !== 'read';
      const finalError = createFinalError(effect, outcome, hadUnknownAttempt);
      finalError.retries = attempt - 1;
      if (hadUnknownAttempt) unknown = finalError;
      if (paused) {
        waits += 1;
        continue;
      }
      const isAccepted = operation.acceptsInternalError && outcome.error.status === 'INTERNAL';
      const delay = signal?.aborted || isAccepted ? undefined : planRetry(outcome);
      if (delay === undefined) throw finalError;
      await backOff(outcome, delay, attempt).catch(throwUnknownOr);
    }
  };
}

/** A request with the effect `once` is sent again only if the response asked for that. */
function isRetriedAfterPause(
  { effect }: CalledOperation,
  { retry, retryAfter }: SendFailure,
): boolean {
  return retry === 'after_pause' && (effect !== 'once' || retryAfter !== undefined);
}

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
function createRetries(options: Pick<ClientOptions, 'clock' | 'random' | 'retryTimes'>) {
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
