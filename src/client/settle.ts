import type { Effect } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Hint } from '../kernel/hint.ts';
import type { Failed, Success } from './outcome.ts';
import { ServiceError } from './service-error.ts';

/** A delete that finds nothing, after an attempt that may have deleted it, has done what was asked. */
export function doneAlready(effect: Effect, { error }: Failed, unsettled: boolean): Success | undefined {
  if (effect !== 'delete' || !unsettled || error.failure !== 'not_found') return undefined;
  const data = { success: true };
  return { kind: 'success', data, result: { status: 'success', message: 'Deleted by an earlier attempt.', data } };
}

/**
 * The error a call ends with. `unsettled` says that some attempt may have been applied: unless the service has since
 * refused the request for good, nobody knows whether it was.
 */
export function finalError(effect: Effect, failed: Failed, unsettled: boolean): SvcError {
  const { error } = failed;
  if (!unsettled) return error;
  if (isRefusal(failed)) return error.failure === 'already_exists' ? existsPerhapsByUs(error) : error;
  return withDetails(error, 'outcome_unknown', NEXT_STEP[effect]);
}

function isRefusal({ error, applied, repeat }: Failed): boolean {
  const judged = applied === 'no' && repeat === 'never' && error.failure !== 'resource_exhausted';
  return judged && error instanceof ServiceError;
}

function existsPerhapsByUs(error: SvcError): SvcError {
  return withDetails(error, error.failure, 'an attempt before, which got no answer, may have created it: look first');
}

/** The service says that it exists, and an attempt before may be why. */
export function isPerhapsOurs({ failure, cause }: SvcError): boolean {
  return failure === 'already_exists' && cause instanceof SvcError && cause.failure === 'already_exists';
}

const NEXT_STEP = {
  read: 'try again',
  keyed: 'it may have been applied; written again under the same ids it does no harm',
  set: 'it may have been applied: read the current values before you repeat the command',
  delete: 'it may have been applied; repeated, "not found" means that it was',
  once: 'it may have been applied, and repeated it would be applied twice: find out first',
} as const satisfies Record<Effect, string>;

/** The same error as one of another kind, with another hint. */
export function withDetails(error: SvcError, failure: SvcError['failure'], hint: string | Hint): SvcError {
  const detail = { hint, cause: error, ...(error.status && { status: error.status }) };
  if (!(error instanceof ServiceError)) return new SvcError(failure, error.message, detail);
  const { httpStatus, details, isOwnEnvelope } = error;
  return new ServiceError(failure, error.message, { ...detail, httpStatus, details, isOwnEnvelope });
}
