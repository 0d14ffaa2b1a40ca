import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
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
  const { isEnabled, encodeData, encryptData, publicKey } = requireData(
    await client.call(config['webhooks.advanced.get'], {}),
  );
  return { isEnabled, encodeData, encryptFor: encryptData && publicKey !== '' ? publicKey : undefined };
}
