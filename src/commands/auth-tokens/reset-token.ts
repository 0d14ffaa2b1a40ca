import type * as z from 'zod/mini';
import { authTokens } from '../../catalog/auth-tokens.ts';
import type { CallResult, Client } from '../../client/client.ts';
import { isCertainlyNotApplied } from '../../client/service-error.ts';
import { hint, messageOf, type NextStep, SvcError, step } from '../../kernel/errors.ts';
import type { RecoveryFile } from '../../profiles/recovery.ts';
import type { Context } from '../context.ts';
import { type ApiKeyToken, probeUntilSettled } from './known-token.ts';

const RESET = authTokens['auth-tokens.reset'];

/** The token of a response to a reset. */
export interface NewToken {
  readonly token: string;
  readonly answer: CallResult<z.output<typeof RESET.output>>;
}

export interface ResetRequest {
  readonly context: Context;
  readonly client: Client;
  readonly deferrable: DeferrableSignal;
  readonly input: z.input<typeof RESET.input>;
  readonly oldToken: ApiKeyToken | undefined;
  readonly ensure: boolean;
}

/**
 * Maximum attempts of `--ensure`, and the first delay in milliseconds. The delay grows linearly.
 */
const MAX_ATTEMPTS = 5;
const RETRY_PAUSE = 1_000;

/**
 * Sends the reset and returns the new token. Without a usable response, probes the old token to
 * find out whether the reset was applied. Then updates or deletes the recovery record.
 * @throws SvcError of the service, or `unreachable` if the reset was not applied. `outcome_unknown`
 * if the reset may have been applied and the new token is not known.
 */
export async function resetToken(request: ResetRequest, recovery: RecoveryFile): Promise<NewToken> {
  const { context, ensure, oldToken } = request;
  let [isReplaced, isUnknown] = [false, false];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendReset(request);
    } catch (error) {
      const isRefused = isCertainlyNotApplied(error);
      const state = !isRefused && oldToken ? await probeUntilSettled(context, oldToken) : 'unknown';
      isReplaced ||= state === 'dead';
      if (!isRefused) isUnknown = state !== 'alive';
      if (isRefused || !ensure || attempt === MAX_ATTEMPTS || context.signal.aborted)
        throw await finishRecovery(request, recovery, error, { isRefused, isReplaced, isUnknown });
      await context.note(
        `no usable response; resetting again (${attempt} of ${MAX_ATTEMPTS - 1}): ${messageOf(error)}`,
      );
      await context.clock.sleep(RETRY_PAUSE * attempt, context.signal).catch(() => undefined); // the next attempt handles an abort
    }
  }
}

async function sendReset({ context, client, deferrable, input }: ResetRequest): Promise<NewToken> {
  const reply = await deferrable.defer(
    () => client.call(RESET, input),
    () => void context.note(WAITING_MESSAGE).catch(() => undefined), // a failed message must not stop the reset
  );
  if (!reply.sent) throw new TypeError('a planned request has no response');
  const { apiKey, newAuthToken } = reply.data ?? {};
  if (!newAuthToken?.token) throw new SvcError('outcome_unknown', 'the response contains no token');
  if (apiKey !== undefined && apiKey !== input.apiKey)
    throw new SvcError('outcome_unknown', `the response is for another API key, ${apiKey}`);
  return { token: newAuthToken.token, answer: reply };
}

const WAITING_MESSAGE = hint`waiting for the response, which may contain the new token; press Ctrl-C again to exit at once, then run ${step('show', 'auth-tokens', 'recover')}`;

/**
 * Saves the outcome, and returns the error for the last attempt. Earlier attempts may have replaced
 * the old token.
 */
async function finishRecovery(
  { context, input: { apiKey }, oldToken }: ResetRequest,
  recovery: RecoveryFile,
  error: unknown,
  {
    isRefused,
    isReplaced,
    isUnknown,
  }: Readonly<Record<'isRefused' | 'isReplaced' | 'isUnknown', boolean>>,
): Promise<unknown> {
  const details = { apiKey, path: recovery.path };
  if (!isReplaced && !isUnknown) {
    await recovery.remove();
    return isRefused ? error : createNotAppliedError(details, error);
  }
  await saveStateOrWarn(context, recovery, isReplaced ? 'lost' : 'unknown');
  return isReplaced
    ? createTokenLostError(details, error)
    : createResetUnknownError(details, error, oldToken !== undefined);
}

/**
 * Saves the state of the reset. Failures are warnings, because the recovery record already has an
 * unknown outcome.
 */
async function saveStateOrWarn(
  context: Context,
  recovery: RecoveryFile,
  state: 'unknown' | 'lost',
): Promise<void> {
  try {
    await recovery.setState(state);
    await recovery.close();
  } catch (error) {
    await context.warn(messageOf(error));
  }
}

type DeferrableSignal = ReturnType<typeof createDeferrableSignal>;

export function createDeferrableSignal(other: AbortSignal) {
  const controller = new AbortController();
  let onDeferredAbort: (() => void) | undefined;
  const forward = () => (onDeferredAbort ? onDeferredAbort() : controller.abort(other.reason));
  if (other.aborted) forward();
  else other.addEventListener('abort', forward, { once: true });
  return {
    signal: controller.signal,
    /**
     * Runs `body` to completion. If the other signal aborts meanwhile, calls `onAbort` instead of
     * aborting.
     */
    async defer<Value>(body: () => Promise<Value>, onAbort: () => void): Promise<Value> {
      controller.signal.throwIfAborted();
      onDeferredAbort = onAbort;
      try {
        return await body();
      } finally {
        onDeferredAbort = undefined;
      }
    },
  };
}

interface ResetDetails {
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
function createNotAppliedError({ apiKey }: ResetDetails, cause: unknown): SvcError {
  const message = `the auth token of API key ${apiKey} was not changed: ${messageOf(cause)}`;
  const isRefusal = cause instanceof SvcError && cause.failure !== 'outcome_unknown';
  if (isRefusal && cause.hint !== undefined) return cause.reworded({ message });
  return new SvcError(isRefusal ? cause.failure : 'unreachable', message, {
    hint: 'the old token still works; run the command again',
    cause,
  });
}

function createTokenLostError(details: ResetDetails, cause: unknown): SvcError {
  const message = `the auth token of API key ${details.apiKey} was replaced, but the new token is lost: ${messageOf(cause)}`;
  return new SvcError('outcome_unknown', message, {
    hint: hint`reset it again with the workspace credentials: ${ensureStep(details.apiKey)}`,
    cause,
  });
}

function createResetUnknownError(
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
