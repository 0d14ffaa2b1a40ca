import type { SvcError } from '../kernel/errors.ts';

export interface Success {
  readonly kind: 'success';
  /** As parsed; null when the service sent none. */
  readonly data: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  /** The answer was seen to confirm what the request expects; `data` and `result` are parsed when they are read. */
  readonly confirmed?: true;
}

/**
 * What a failed attempt allows to be done next.
 * - `never`: the same request would fare no better.
 * - `by_effect`: it may, if the operation's effect allows a request to be repeated.
 * - `after_pause`: it was not looked at; the service asks to wait.
 * - `unsent`: nothing left this machine, so any request may be sent again.
 */
type Repeat = 'never' | 'by_effect' | 'after_pause' | 'unsent';

export interface Failed {
  readonly kind: 'failed';
  /** What to throw when it stays at this, and nothing was applied or there was nothing to apply. */
  readonly error: SvcError;
  /** Whether a write may have been applied all the same. */
  readonly applied: 'no' | 'maybe';
  readonly repeat: Repeat;
  /** The `Retry-After` header. */
  readonly retryAfter?: string | undefined;
  /** The service refused by its own rate limit, which lasts a minute. */
  readonly forMinute?: boolean;
}

/** What one attempt came to. */
export type Outcome = Success | Failed;
