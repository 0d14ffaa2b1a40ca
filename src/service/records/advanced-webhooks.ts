import type { KeyCall } from '../call.ts';
import { Refusal } from '../refusal.ts';
import { findConfig } from './configs.ts';

export function advancedWebhooksNotConfigured(): Refusal {
  return new Refusal(
    'FAILED_PRECONDITION',
    'Advanced webhooks are not configured for this workspace. Enable them in the advanced webhook configuration first.',
  );
}

/** @throws Refusal FAILED_PRECONDITION unless advanced webhooks are enabled */
export async function requireAdvancedWebhooks(call: KeyCall): Promise<void> {
  const config = await findConfig(call, 'advanced-webhooks');
  if (!config) throw advancedWebhooksNotConfigured();
  if (!config.isEnabled) {
    throw new Refusal(
      'FAILED_PRECONDITION',
      'Advanced webhooks are disabled for this workspace. Enable them in the advanced webhook configuration first.',
    );
  }
}
