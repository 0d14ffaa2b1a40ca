import type { PendingRecovery } from '../../profiles/recovery/pending.ts';
import { fingerprintOf, type RecoveryRecord } from '../../profiles/recovery/record.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../embedded-service.ts';
import type { ApiKeyToken } from './probe.ts';

/** Returns the identifier of the current service in recovery records: an origin, or a name for the embedded service. */
export async function currentService({ options, openSettings }: Context): Promise<string> {
  if (options.local) return options.store === undefined ? EMBEDDED_SERVICE : `${EMBEDDED_SERVICE} ${options.store}`;
  const { baseUrl } = await openSettings();
  return baseUrl ? new URL(baseUrl.value).origin : '';
}

/** Finds the latest known token of an API key. A token saved by an earlier reset is newer than the settings. */
export async function findKnownToken(
  context: Context,
  apiKey: string,
  earlier: readonly PendingRecovery[],
): Promise<ApiKeyToken | undefined> {
  // The embedded service is always called with its current token.
  if (context.options.local) return undefined;
  const kept = earlier.findLast(({ record }) => record?.state === 'kept')?.record?.token;
  const settings = await context.settings();
  const authToken = kept ?? (settings.apiKey?.value === apiKey ? settings.authToken?.value : undefined);
  return authToken ? { apiKey, authToken } : undefined;
}

/** Finds the token that an interrupted reset was meant to replace, if the settings still contain it. */
export async function findOldToken(context: Context, record: RecoveryRecord): Promise<ApiKeyToken | undefined> {
  if ((await currentService(context)) !== record.place) return undefined;
  const token = await findKnownToken(context, record.apiKey, []);
  return token && fingerprintOf(token.authToken) === record.oldToken ? token : undefined;
}
