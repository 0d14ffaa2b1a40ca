import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';
import { requireData } from '../call/require-data.ts';
import type { Context } from '../context.ts';

export interface AdvancedWebhookSettings {
  readonly isEnabled: boolean;
  readonly encodeData: boolean;
  readonly encryptFor: string | undefined;
}

export async function readAdvancedSettings(context: Context, client: Client): Promise<AdvancedWebhookSettings> {
  if (context.options.dryRun) {
    await context.note('--dry-run: the webhook settings were not read');
    return { isEnabled: true, encodeData: false, encryptFor: undefined };
  }
  const config = await loadResource('webhook-config');
  const { isEnabled, encodeData, encryptData, publicKey } = requireData(await client.call(config['webhooks.advanced.get'], {}));
  return { isEnabled, encodeData, encryptFor: encryptData && publicKey !== '' ? publicKey : undefined };
}

export interface ExistingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly filterTypes?: readonly string[] | null | undefined;
}

/** Lists the endpoints of the service. An empty list if the service refuses, because this read is only for a warning. */
export async function listEndpoints(client: Client): Promise<readonly ExistingEndpoint[]> {
  const { 'webhooks.endpoints.list': list } = await loadResource('webhook-endpoints');
  const found: ExistingEndpoint[] = [];
  try {
    for await (const { data } of fetchPages(client, list, {})) found.push(...(data?.endpoints ?? []));
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure === 'interrupted') throw error;
  }
  return found;
}

export function describeDuplicates(existing: readonly ExistingEndpoint[], url: string): readonly string[] {
  const wanted = URL.parse(url)?.href;
  return existing
    .filter((endpoint) => URL.parse(endpoint.url)?.href === wanted)
    .map(({ id, filterTypes }) => `${id} already delivers ${filterTypes?.join(', ') || 'all events'} to this URL`);
}
