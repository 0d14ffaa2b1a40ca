import type { KeyCall } from '../call.ts';
import { Refusal } from '../refusal.ts';
import { storedConfig } from './configs.ts';

export function notConfigured(): Refusal {
  return new Refusal(
    'FAILED_PRECONDITION',
    'Advanced webhooks are not configured for this workspace. Enable them in the advanced webhook configuration first.',
  );
}

/** @throws Refusal FAILED_PRECONDITION unless advanced webhooks are enabled. */
export async function requireAdvancedWebhooks(call: KeyCall): Promise<void> {
  const config = await storedConfig(call, 'advanced-webhooks');
  if (!config) throw notConfigured();
  if (!config.isEnabled) {
    throw new Refusal(
      'FAILED_PRECONDITION',
      'Advanced webhooks are disabled for this workspace. Enable them in the advanced webhook configuration first.',
    );
  }
}
