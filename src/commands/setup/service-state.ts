import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { dataOf } from '../call/reply-data.ts';
import type { Context } from '../context.ts';

/** How the service delivers. */
export interface ServiceState {
  readonly isEnabled: boolean;
  readonly encodeData: boolean;
  readonly encryptFor: string | undefined;
}

/** Looks up whether advanced webhooks are on, and how they send bodies. */
export async function serviceState(context: Context, client: Client): Promise<ServiceState> {
  if (context.options.dryRun) {
    await context.note('whether advanced webhooks are on is not looked up: --dry-run');
    return { isEnabled: true, encodeData: false, encryptFor: undefined };
  }
  const config = await loadResource('webhook-config');
  const { isEnabled, encodeData, encryptData, publicKey } = dataOf(
    await client.call(config['webhooks.advanced.get'], {}),
  );
  return { isEnabled, encodeData, encryptFor: encryptData && publicKey !== '' ? publicKey : undefined };
}
