import { hint, messageOf, type NextStep, SvcError, step } from '../../kernel/errors.ts';

export interface ResetDetails {
  readonly apiKey: string;
  readonly path: string;
}

export function ensureStep(apiKey: string): NextStep {
  return step('change', 'auth-tokens', 'reset', '--api-key', apiKey, '--ensure');
}

const RECOVER_COMMAND_WORDS = ['auth-tokens', 'recover'];

/**
 * Creates the error for a reset that was not applied. An error from the service keeps its exit code
 * and hint.
 */
export function createNotAppliedError({ apiKey }: ResetDetails, cause: unknown): SvcError {
  const message = `the auth token of API key ${apiKey} was not changed: ${messageOf(cause)}`;
  const isRefusal = cause instanceof SvcError && cause.failure !== 'outcome_unknown';
  if (isRefusal && cause.hint !== undefined) return cause.reworded({ message });
  return new SvcError(isRefusal ? cause.failure : 'unreachable', message, {
    hint: 'the old token still works; run the command again',
    cause,
  });
}

export function createTokenLostError(details: ResetDetails, cause: unknown): SvcError {
  const message = `the auth token of API key ${details.apiKey} was replaced, but the new token is lost: ${messageOf(cause)}`;
  return new SvcError('outcome_unknown', message, {
    hint: hint`reset it again with the workspace credentials: ${ensureStep(details.apiKey)}`,
    cause,
  });
}

export function createResetUnknownError(
  details: ResetDetails,
  cause: unknown,
  knowsOldToken: boolean,
): SvcError {
  const message = `the auth token of API key ${details.apiKey} may have been replaced: ${messageOf(cause)}`;
  const nextStepHint = knowsOldToken
    ? hint`to check, run ${step('show', ...RECOVER_COMMAND_WORDS)}; the recovery record is ${details.path}`
    : hint`svc does not have the old token; reset the token again: ${ensureStep(details.apiKey)}; the recovery record is ${details.path}`;
  return new SvcError('outcome_unknown', message, { hint: nextStepHint, cause });
}

/**
 * Creates the error for a saved token that did not reach all destinations. `canSave`: the profile
 * can store it.
 */
export function createNotDeliveredError(
  { apiKey, path, canSave }: ResetDetails & { readonly canSave: boolean },
  problems: readonly string[],
  cause: unknown,
): SvcError {
  const showing = hint`to show it, run ${step('show', ...RECOVER_COMMAND_WORDS, '--show-secrets')}`;
  const message = `the new auth token of API key ${apiKey} is saved in ${path}, because a destination failed`;
  return new SvcError('local', `${message}: ${problems.join('; ')}`, {
    hint: canSave
      ? hint`${showing}; to save it in the profile, run ${step('change', ...RECOVER_COMMAND_WORDS, '--save')}`
      : showing,
    cause,
  });
}

export function createNotSavedError(
  apiKey: string,
  problems: readonly string[],
  cause: unknown,
): SvcError {
  const message = `the new auth token of API key ${apiKey} could not be saved, and a destination failed`;
  return new SvcError('local', `${message}: ${problems.join('; ')}`, {
    hint: hint`if no destination received the token, reset it again: ${ensureStep(apiKey)}`,
    cause,
  });
}

export function createResetInProgressError(apiKey: string, owner: string): SvcError {
  return new SvcError(
    'locked',
    `another reset of API key ${apiKey} is in progress: ${owner}; nothing was sent`,
    {
      hint: 'run the command again after the other reset finishes',
    },
  );
}
