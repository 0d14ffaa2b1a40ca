import type { PendingRecovery } from '../../profiles/recovery/pending.ts';
import { fingerprint, type RecoveryRecord } from '../../profiles/recovery/record.ts';
import type { Context } from '../context.ts';
import { EMBEDDED } from '../embedded.ts';
import type { KeyToken } from './probe.ts';

/** The service of this run, as recovery records name it: its origin, or what stands for the embedded one. */
export async function placeOf({ options, openSettings }: Context): Promise<string> {
  if (options.local) return options.store === undefined ? EMBEDDED : `${EMBEDDED} ${options.store}`;
  const { baseUrl } = await openSettings();
  return baseUrl ? new URL(baseUrl.value).origin : '';
}

/**
 * The token that an API key had last, as far as it is known here: what an earlier reset kept in a record is younger than
 * what the settings hold.
 */
export async function knownToken(
  context: Context,
  apiKey: string,
  earlier: readonly PendingRecovery[],
): Promise<KeyToken | undefined> {
  // The embedded service is always called with the token that it has by now.
  if (context.options.local) return undefined;
  const kept = earlier.findLast(({ record }) => record?.state === 'kept')?.record?.token;
  const settings = await context.settings();
  const authToken = kept ?? (settings.apiKey?.value === apiKey ? settings.authToken?.value : undefined);
  return authToken ? { apiKey, authToken } : undefined;
}

/** The token that a broken reset was to replace, where the settings still hold it. */
export async function tokenBefore(context: Context, record: RecoveryRecord): Promise<KeyToken | undefined> {
  if ((await placeOf(context)) !== record.place) return undefined;
  const token = await knownToken(context, record.apiKey, []);
  return token && fingerprint(token.authToken) === record.oldToken ? token : undefined;
}
