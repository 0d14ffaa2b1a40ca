import { messageOf } from '../../kernel/errors.ts';
import { loadMachineSecret } from '../../profiles/machine-secret.ts';
import { createSigningSecret } from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';

export function loadSigningSecret(context: Context): Promise<string> {
  return loadMachineSecret('webhook-secret', createSigningSecret, context);
}

/**
 * Loads this machine's signing secret. If the secret cannot be stored, creates one for this run.
 */
export async function loadOrCreateSigningSecret(context: Context): Promise<string> {
  try {
    return await loadSigningSecret(context);
  } catch (error) {
    context.signal.throwIfAborted();
    await context.warn(
      `the signing secret cannot be stored and applies only to this run: ${messageOf(error)}`,
    );
    return createSigningSecret();
  }
}
