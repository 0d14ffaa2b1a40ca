import type { Effect } from '../catalog/define.ts';
import { type Hint, SvcError } from '../kernel/errors.ts';
import type { SendFailure } from './outcome.ts';
import { ServiceError } from './service-error.ts';

export function resolveRepeatedDelete(
  effect: Effect,
  { error }: SendFailure,
  hadUnknownAttempt: boolean,
) {
  if (effect !== 'delete' || !hadUnknownAttempt || error.failure !== 'not_found') return undefined;
  const data = { success: true };
  const result = { status: 'success', message: 'Deleted by an earlier attempt.', data };
  return { kind: 'success' as const, data, result };
}

/**
 * After an attempt that may have been applied, the outcome is unknown unless the service has since
 * rejected the request.
 */
export function createFinalError(
  effect: Effect,
  failed: SendFailure,
  hadUnknownAttempt: boolean,
): SvcError {
  const { error } = failed;
  if (!hadUnknownAttempt) return error;
  if (isDefiniteRejection(failed))
    return error.failure === 'already_exists'
      ? withFailureAndHint(error, error.failure, EARLIER_ATTEMPT_HINT)
      : error;
  return withFailureAndHint(error, 'outcome_unknown', UNKNOWN_OUTCOME_HINTS[effect]);
}

function isDefiniteRejection({ error, applied, retry }: SendFailure): boolean {
  const isDefinite =
    applied === 'no' && retry === 'never' && error.failure !== 'resource_exhausted';
  return isDefinite && error instanceof ServiceError;
}

const EARLIER_ATTEMPT_HINT =
  'an earlier attempt may have created the object, but its response was lost: check before you retry';

/** Whether an "already exists" error may be due to an earlier attempt of the same call. */
export function mayBeFromEarlierAttempt({ failure, cause }: SvcError): boolean {
  return (
    failure === 'already_exists' && cause instanceof SvcError && cause.failure === 'already_exists'
  );
}

const UNKNOWN_OUTCOME_HINTS = {
  read: 'try again',
  keyed: 'the write may have been applied; repeating it with the same IDs is safe',
  set: 'the write may have been applied; read the current values before you repeat the command',
  delete:
    'the deletion may have been applied; if you repeat it, "not found" means that it was applied',
  once: 'the write may have been applied, and repeating it could apply it twice: check before you retry',
} as const satisfies Record<Effect, string>;

export function withFailureAndHint(
  error: SvcError,
  failure: SvcError['failure'],
  hint: string | Hint,
): SvcError {
  const { message, details, status } = error;
  const detail = { hint, cause: error, details, ...(status && { status }) };
  return error.createSimilar(failure, message, detail);
}
