import type * as z from 'zod';
import { authTokens } from '../../catalog/auth-tokens.ts';
import type { Answer, Client } from '../../client/client.ts';
import { provesNotApplied } from '../../client/service-error.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import type { Recovery } from '../../profiles/recovery/recovery.ts';
import type { Context } from '../context.ts';
import { hintedCommand } from '../hinted-command.ts';
import { mayBeReplaced, notApplied, tokenLost } from './failures.ts';
import type { HeldSignal } from './held-signal.ts';
import { type KeyToken, settledState, type TokenState } from './probe.ts';

const RESET = authTokens['auth-tokens.reset'];

/** A new token, and the answer that it came in. */
export interface Obtained {
  readonly token: string;
  readonly answer: Answer<z.output<typeof RESET.output>>;
}

export interface Sending {
  readonly context: Context;
  readonly client: Client;
  readonly held: HeldSignal;
  readonly input: z.input<typeof RESET.input>;
  /** The token that is replaced, where it is known here. */
  readonly oldToken: KeyToken | undefined;
  /** Resets again where no usable answer came. */
  readonly ensure: boolean;
}

/** How often `--ensure` sends, and milliseconds before it does so again, longer each time. */
const ROUNDS = 5;
const PAUSE = 1_000;

/**
 * Sends the reset once and gives the answer with the new token. Where none comes, the old token tells what happened,
 * and so does the error; the record is left as that says, or taken away.
 * @throws SvcError of the kind the service refused it with, or `unreachable` when nothing was applied;
 * `outcome_unknown` when it was, or may have been, and the new token is not known
 */
export async function obtainToken(sending: Sending, recovery: Recovery): Promise<Obtained> {
  const { context, ensure } = sending;
  let replaced = false;
  let open = false;
  for (let round = 1; ; round += 1) {
    const outcome = await attempt(sending);
    if (outcome.kind === 'answered') return outcome.obtained;
    replaced ||= outcome.state === 'dead';
    if (outcome.kind === 'unsettled') open = outcome.state !== 'alive';
    const again = ensure && outcome.kind === 'unsettled' && round < ROUNDS && !context.signal.aborted;
    if (!again) return settle(sending, recovery, { ...outcome, replaced, open });
    await context.note(`no usable answer; resetting again (${round} of ${ROUNDS - 1}): ${outcome.error.message}`);
    await context.clock.sleep(PAUSE * round, context.signal).catch(() => undefined); // the next round ends it
  }
}

type Outcome =
  | { readonly kind: 'answered'; readonly obtained: Obtained }
  | { readonly kind: 'refused' | 'unsettled'; readonly error: Error; readonly state: TokenState };

async function attempt(sending: Sending): Promise<Outcome> {
  try {
    return { kind: 'answered', obtained: await send(sending) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (provesNotApplied(error)) return { kind: 'refused', error, state: 'unknown' };
    const { context, oldToken } = sending;
    return { kind: 'unsettled', error, state: oldToken ? await settledState(context, oldToken) : 'unknown' };
  }
}

async function send({ context, client, held, input }: Sending): Promise<Obtained> {
  const reply = await held.hold(
    () => client.call(RESET, input),
    () => void context.note(staying(context)).catch(() => undefined), // talk fails nothing
  );
  if (!reply.sent) throw new TypeError('a planned request has no answer');
  const { apiKey, newAuthToken } = reply.data ?? {};
  if (!newAuthToken?.token) throw new SvcError('outcome_unknown', 'the answer holds no token');
  if (apiKey !== undefined && apiKey !== input.apiKey) {
    throw new SvcError('outcome_unknown', `the answer is about another API key, ${apiKey}`);
  }
  return { token: newAuthToken.token, answer: reply };
}

function staying({ options }: Context): string {
  const recover = hintedCommand(options, 'auth', 'recover');
  return `waiting for the answer, which may hold the new token; Ctrl-C again ends at once, and ${recover} tells what is left`;
}

interface Unanswered {
  readonly kind: 'refused' | 'unsettled';
  readonly error: Error;
  /** The old token died in some round. */
  readonly replaced: boolean;
  /** What became of some round is not known. */
  readonly open: boolean;
}

async function settle(sending: Sending, recovery: Recovery, unanswered: Unanswered): Promise<never> {
  const { kind, error, replaced, open } = unanswered;
  const told = { context: sending.context, apiKey: sending.input.apiKey, path: recovery.path };
  if (replaced) {
    await noteOrWarn(sending.context, recovery, 'lost');
    throw tokenLost(told, error);
  }
  if (open) {
    await noteOrWarn(sending.context, recovery, 'unknown');
    throw mayBeReplaced(told, error, sending.oldToken !== undefined);
  }
  await recovery.remove();
  throw kind === 'refused' ? error : notApplied(told, error);
}

/** As it was, the record says that the request may have left, which is true as well. */
async function noteOrWarn(context: Context, recovery: Recovery, state: 'unknown' | 'lost'): Promise<void> {
  try {
    await recovery.note(state);
    await recovery.close();
  } catch (error) {
    await context.warn(messageOf(error));
  }
}
