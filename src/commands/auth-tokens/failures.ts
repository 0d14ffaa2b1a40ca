import { messageOf, SvcError } from '../../kernel/errors.ts';
import { hint, type NextStep, step } from '../../kernel/hint.ts';
import type { Context } from '../context.ts';

/** A reset, as messages speak of it. */
export interface Told {
  readonly context: Context;
  readonly apiKey: string;
  /** Of the recovery record. */
  readonly path: string;
}

/** The command that makes sure of a token. */
export function ensureStep(apiKey: string): NextStep {
  return step('change', 'auth-tokens', 'reset', '--api-key', apiKey, '--ensure');
}

const RECOVER = ['auth', 'recover'];

/** Not applied: the old token still opens the API key. A response that was understood keeps its exit code and hint. */
export function notApplied({ apiKey }: Told, cause: unknown): SvcError {
  const message = `the auth token of API key ${apiKey} is as it was: ${messageOf(cause)}`;
  const isRefusal = cause instanceof SvcError && cause.failure !== 'outcome_unknown';
  if (isRefusal && cause.hint !== undefined) return cause.told({ message });
  return new SvcError(isRefusal ? cause.failure : 'unreachable', message, {
    hint: 'the old token still works; run the command again',
    cause,
  });
}

/** Applied, and the new token went under with the answer. */
export function tokenLost(told: Told, cause: unknown): SvcError {
  const message = `the auth token of API key ${told.apiKey} was replaced, and the new one is lost: ${messageOf(cause)}`;
  return new SvcError('outcome_unknown', message, {
    hint: hint`the workspace can set another one: ${ensureStep(told.apiKey)}`,
    cause,
  });
}

/** Nobody knows yet; the record stays. */
export function mayBeReplaced(told: Told, cause: unknown, knowsOldToken: boolean): SvcError {
  const message = `the auth token of API key ${told.apiKey} may have been replaced: ${messageOf(cause)}`;
  const way = knowsOldToken
    ? hint`find out with ${step('show', ...RECOVER)}; the record is ${told.path}`
    : hint`its old token is not known here, so set another one: ${ensureStep(told.apiKey)}; the record is ${told.path}`;
  return new SvcError('outcome_unknown', message, { hint: way, cause });
}

/** The new token is safe in its record, and not everywhere it should be. `canSave` says that a profile would take it. */
export function notDelivered(
  { apiKey, path, canSave }: Told & { readonly canSave: boolean },
  problems: readonly string[],
  cause: unknown,
): SvcError {
  const showing = hint`${step('show', ...RECOVER, '--show-secrets')} shows it`;
  const message = `the new auth token of API key ${apiKey} is kept in ${path}, as it could not be handed on to everyone`;
  return new SvcError('local', `${message}: ${problems.join('; ')}`, {
    hint: canSave ? hint`${showing}, ${step('change', ...RECOVER, '--save')} puts it into the profile` : showing,
    cause,
  });
}

/** Neither its record nor every destination took the new token. */
export function notKept(told: Omit<Told, 'path'>, problems: readonly string[], cause: unknown): SvcError {
  const message = `the new auth token of API key ${told.apiKey} could neither be kept nor be handed on to everyone`;
  return new SvcError('local', `${message}: ${problems.join('; ')}`, {
    hint: hint`if you have it nowhere, set another one: ${ensureStep(told.apiKey)}`,
    cause,
  });
}

/** Another reset of the same token is running, and its new token would stop working. */
export function resetInProgress(apiKey: string, owner: string): SvcError {
  return new SvcError('locked', `another reset of API key ${apiKey} is in progress: ${owner}; nothing was sent`, {
    hint: 'run the command again when it has finished',
  });
}
