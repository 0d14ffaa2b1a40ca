import { messageOf, SvcError } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { matchesPattern } from '../../webhooks/routes.ts';
import type { Context } from '../context.ts';
import type { ListenOptions } from './listen-options.ts';

/** Whether to register a temporary endpoint. For `optional`, a failure is only a warning. */
export type RegistrationMode = 'required' | 'optional' | 'none';

export type Registration = NonNullable<Awaited<ReturnType<typeof register>>>;

/** @throws SvcError `usage` if no flag and no temporary endpoint allows verifying deliveries */
export async function decideRegistration(
  context: Context,
  { proofs, skipVerify, publicUrl }: ListenOptions,
): Promise<RegistrationMode> {
  if (proofs.authToken !== undefined || skipVerify) return 'none';
  const hasSecret = proofs.secrets.length > 0;
  if (context.options.local) return 'required';
  if (publicUrl) return hasSecret ? 'none' : 'required';
  const { baseUrl } = await context.openSettings();
  const service = baseUrl && URL.parse(baseUrl.value);
  if (service && isLoopback(service)) return hasSecret ? 'optional' : 'required';
  if (hasSecret) return 'none';
  throw new SvcError('usage', 'a secret or token is required to verify deliveries', {
    hint: 'add --secret-file or --auth-token-file, or use --local for deliveries from the embedded service',
  });
}

/**
 * Registers a temporary endpoint. The service generates a secret for each endpoint, so the listener signs deliveries
 * again with a stable secret: the one in `--secret-file`, or this machine's.
 */
export async function register(
  context: Context,
  { proofs, publicUrl, events, restore }: ListenOptions,
  { need, url }: { readonly need: RegistrationMode; readonly url: string },
) {
  if (need === 'none') return undefined;
  const [given] = proofs.secrets;
  const { createTemporaryEndpoint, restoreAdvancedWebhooks } = await import('./temporary-endpoint.ts');
  const endpoint = await createTemporaryEndpoint(context, {
    url: publicUrl?.href ?? url,
    filterTypes: events && (await expandPatterns(events)),
    allowsExisting: given !== undefined,
  }).catch(async (error: unknown) => {
    if (need === 'required' || context.signal.aborted) throw error;
    await context.warn(`cannot create a temporary endpoint: ${messageOf(error)}`);
    return undefined;
  });
  if (!endpoint) return undefined;
  const { loadOrCreateSigningSecret } = await import('./machine-signing-secret.ts');
  const relaySecret = given ?? (await loadOrCreateSigningSecret(context));
  const secretNote =
    given === undefined
      ? `signing secret of this machine: ${relaySecret}`
      : 'deliveries are signed with the secret of --secret-file';
  return {
    proofs: { secrets: [endpoint.secret, relaySecret, ...proofs.secrets] },
    relaySecret,
    notes: [secretNote, ...endpoint.notes],
    remove: endpoint.remove,
    /** Disables advanced webhooks, if this process enabled them and the user agrees. */
    restore: async () => {
      if (endpoint.hasEnabledWebhooks) await restoreAdvancedWebhooks(context, restore);
    },
  };
}

async function expandPatterns(events: readonly string[]): Promise<readonly string[]> {
  const { EVENT_NAMES } = await import('../../catalog/events.ts');
  return events.flatMap((pattern) =>
    pattern.includes('*') ? EVENT_NAMES.filter((name) => matchesPattern(name, pattern)) : [pattern],
  );
}
