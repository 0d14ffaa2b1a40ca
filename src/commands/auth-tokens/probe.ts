import { webhookConfig } from '../../catalog/webhook-config.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Settings } from '../../profiles/resolve.ts';
import { connect } from '../call/connect.ts';
import type { Context } from '../context.ts';

/** An API key and a token that opened it once. */
export interface KeyToken {
  readonly apiKey: string;
  readonly authToken: string;
}

/** Whether a token still opens its API key. `unknown` where the service gave no answer that tells. */
export type TokenState = 'alive' | 'dead' | 'unknown';

const { path, auth, effect } = webhookConfig['webhooks.config.get'];

/** A read that every API key may do. Whatever it answers will do, as long as it is the service that answers. */
const LOOK = { path, auth, effect };

/** Milliseconds that one look may take, waiting for a rate limit included. */
const PATIENCE = 10_000;

export async function probeToken(context: Context, token: KeyToken): Promise<TokenState> {
  const { client, close } = await connect(asHolder(context, token));
  try {
    const reply = await client.send(LOOK, {});
    // Other JSON with status 200 may come from anyone.
    return reply.sent && reply.result['status'] === 'success' ? 'alive' : 'unknown';
  } catch (error) {
    // A gateway that refuses everything says nothing about the token.
    return error instanceof ServiceError && error.isOwnEnvelope && error.failure === 'unauthenticated'
      ? 'dead'
      : 'unknown';
  } finally {
    await close();
  }
}

/** Milliseconds between looks at a token that is alive: the reset may still be on its way inside the service. */
const PAUSES = [500, 1_500, 3_000];

/** What became of a token that a request of unknown outcome may have replaced: alive is said only of one that stays so. */
export async function settledState(context: Context, token: KeyToken): Promise<TokenState> {
  let state = await probeToken(context, token);
  for (const pause of PAUSES) {
    if (state !== 'alive') return state;
    const stopped = await context.clock.sleep(pause, context.signal).then(
      () => false,
      () => true,
    );
    if (stopped) return 'unknown';
    state = await probeToken(context, token);
  }
  return state;
}

/** The same context with another credential for the API key, and short limits. */
function asHolder(context: Context, { apiKey, authToken }: KeyToken): Context {
  const { options } = context;
  const source = 'reset';
  const settings = async (): Promise<Settings> => ({
    ...(await context.settings()),
    apiKey: { value: apiKey, source },
    authToken: { value: authToken, source },
  });
  return {
    ...context,
    settings,
    options: {
      ...options,
      timeout: Math.min(options.timeout, PATIENCE),
      maxWait: Math.min(options.maxWait, PATIENCE),
    },
  };
}
