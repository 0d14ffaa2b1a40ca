import { ServiceError } from '../../client/service-error.ts';
import {
  fingerprintOf,
  type PendingRecovery,
  type RecoveryRecord,
} from '../../profiles/recovery.ts';
import type { TargetWithSecrets } from '../../profiles/target.ts';
import { connect } from '../connection/connect.ts';
import { readWithCredential } from '../connection/credential-reads.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

export async function currentService({ target }: Context): Promise<string> {
  const { embedded, baseUrl } = await target();
  if (embedded) return [EMBEDDED_SERVICE, embedded.store].filter(Boolean).join(' ');
  return baseUrl ? new URL(baseUrl.value).origin : '';
}

/**
 * Finds the latest known token of an API key. A token saved by an earlier reset is newer than the
 * settings.
 */
export async function findKnownToken(
  context: Context,
  apiKey: string,
  earlier: readonly PendingRecovery[],
) {
  const kept = earlier.findLast(({ record }) => record?.state === 'kept')?.record?.token;
  const target = await context.targetWithSecrets();
  // The embedded service is always called with its current token.
  if (target.embedded) return undefined;
  const authToken = kept ?? (target.apiKey?.value === apiKey ? target.authToken?.value : undefined);
  return authToken ? { apiKey, authToken } : undefined;
}

export async function findOldToken(
  context: Context,
  record: RecoveryRecord,
): Promise<ApiKeyToken | undefined> {
  if ((await currentService(context)) !== record.place) return undefined;
  const token = await findKnownToken(context, record.apiKey, []);
  return token && fingerprintOf(token.authToken) === record.oldToken ? token : undefined;
}

export interface ApiKeyToken {
  readonly apiKey: string;
  readonly authToken: string;
}

export type TokenState = 'alive' | 'dead' | 'unknown';
/** Time limit for each probe and its rate limit waits, in milliseconds. */
const PROBE_TIMEOUT = 10_000;

export async function probeToken(context: Context, token: ApiKeyToken): Promise<TokenState> {
  const { client, close } = await connect(withCredential(context, token));
  try {
    return (await readWithCredential(client, 'key')) ? 'alive' : 'unknown';
  } catch (error) {
    // Only the service's own error proves that the token is invalid.
    const isFromService = error instanceof ServiceError && error.hasServiceEnvelope;
    return isFromService && error.failure === 'unauthenticated' ? 'dead' : 'unknown';
  } finally {
    await close();
  }
}

/**
 * Delays between probes of a working token, in milliseconds. The service may still be processing
 * the reset.
 */
const PROBE_PAUSES = [500, 1_500, 3_000];

export async function probeUntilSettled(context: Context, token: ApiKeyToken): Promise<TokenState> {
  let state = await probeToken(context, token);
  for (const pause of PROBE_PAUSES) {
    if (state !== 'alive') return state;
    await context.clock.sleep(pause, context.signal).catch(() => undefined);
    if (context.signal.aborted) return 'unknown';
    state = await probeToken(context, token);
  }
  return state;
}

function withCredential(context: Context, { apiKey, authToken }: ApiKeyToken): Context {
  const { options } = context;
  const source = 'reset';
  const targetWithSecrets = async (): Promise<TargetWithSecrets> => ({
    ...(await context.targetWithSecrets()),
    apiKey: { value: apiKey, source },
    authToken: { value: authToken, source },
  });
  const [timeout, maxWait] = [
    Math.min(options.timeout, PROBE_TIMEOUT),
    Math.min(options.maxWait, PROBE_TIMEOUT),
  ];
  return { ...context, targetWithSecrets, options: { ...options, timeout, maxWait } };
}
