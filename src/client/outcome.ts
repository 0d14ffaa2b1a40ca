import type { SvcError } from '../kernel/errors.ts';

export interface SendSuccess {
  readonly kind: 'success';
  readonly data: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  /** The response confirms every expected ID. It is not parsed: `data` is null. */
  readonly confirmed?: true;
}

/**
 * Whether a request can be retried after a failed attempt.
 * - `never`: a retry would fail in the same way.
 * - `by_effect`: if the operation's effect allows retries.
 * - `until_reached`: if the effect allows retries, for the time of `RetryTimes`. A proxy responded
 *   because it did not reach the service.
 * - `after_pause`: after the rate limit; the service did not process the request.
 * - `unsent`: always; no part of the request was sent.
 */
type RetryPolicy = 'never' | 'by_effect' | 'until_reached' | 'after_pause' | 'unsent';

export interface SendFailure {
  readonly kind: 'failed';
  readonly error: SvcError;
  readonly applied: 'no' | 'maybe';
  readonly retry: RetryPolicy;
  /** The pause that the response asks for, in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** Whether the response asks for a pause because the service is unavailable, not for its rate limit. */
  readonly isUnavailable?: boolean;
  /** Whether the service's own rate limit, which lasts a minute, rejected the request. */
  readonly isServiceRateLimit?: boolean;
}

export type SendOutcome = SendSuccess | SendFailure;
