import { EVENT_NAMES } from '../../catalog/events.ts';
import { type Hint, messageOf, SvcError } from '../../kernel/errors.ts';
import type { ListenAddress } from '../../kernel/listening.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { parsePrivateKey } from '../../webhooks/keys.ts';
import type { Forwarding } from '../../webhooks/listener.ts';
import { matchesPattern } from '../../webhooks/routes.ts';
import type { VerificationSecrets } from '../../webhooks/signature.ts';
import { checkEventTypes } from '../call/event-types.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { parsePort, parseWholeNumber } from '../options.ts';
import { type ListenFlags, recordFolder } from './flags.ts';
import { loadOrCreateSigningSecret, readKey, readVerificationSecrets } from './keys.ts';
import { createPostOptions, parseTargets, parseTargetUrl } from './targets.ts';

export interface ListenOptions {
  readonly address: ListenAddress;
  readonly allowedHosts: readonly string[];
  readonly proofs: VerificationSecrets;
  readonly skipVerify: boolean;
  readonly privateKey: string | undefined;
  readonly forwarding: Forwarding;
  /** Folder for recorded deliveries. */
  readonly folder: string | undefined;
  readonly maxDeliveries: number;
  readonly events: readonly string[] | undefined;
  /** Whether to disable advanced webhooks on exit. Undefined to prompt. */
  readonly restore: boolean | undefined;
  readonly publicUrl: URL | undefined;
}

const DEFAULT_PORT = 4400;

export async function readListenOptions(
  context: Context,
  { options }: Invocation<ListenFlags>,
): Promise<ListenOptions> {
  const proofs = await readVerificationSecrets(options, context.signal);
  const skipVerify = options.insecureSkipVerify === true;
  if (skipVerify && (proofs.secrets.length > 0 || proofs.authToken !== undefined))
    throw new SvcError(
      'usage',
      '--insecure-skip-verify cannot be combined with --secret-file or --auth-token-file',
    );
  const publicUrl =
    options.publicUrl === undefined ? undefined : parseTargetUrl(options.publicUrl, '--public-url');
  return {
    address: { host: options.host ?? '127.0.0.1', port: parsePort(options.port) ?? DEFAULT_PORT },
    allowedHosts: [...(options.allowHost ?? []), ...(publicUrl ? [publicUrl.hostname] : [])],
    proofs,
    skipVerify,
    privateKey: await readKey(context, options.privateKey, parsePrivateKey),
    forwarding: await readForwarding(context, options),
    folder: options.record === false ? undefined : recordFolder(context, options.record),
    maxDeliveries:
      parseWholeNumber('--exit-after', options.exitAfter, 1) ?? Number.POSITIVE_INFINITY,
    events: await readEvents(context, options),
    restore: options.restore,
    publicUrl,
  };
}

async function readEvents(
  context: Context,
  options: ListenFlags,
): Promise<readonly string[] | undefined> {
  const events = options.events?.flatMap((list) => list.split(',')).map((event) => event.trim());
  if (events) await checkEventTypes(context, events, options);
  return events;
}

async function readForwarding(context: Context, options: ListenFlags): Promise<Forwarding> {
  const forwarding = { ...parseTargets(options), isDecoded: options.forwardDecoded === true };
  if (forwarding.isDecoded && forwarding.routes.length === 0 && !forwarding.defaultTarget)
    throw new SvcError('usage', '--forward-decoded requires --forward-to or --route');
  const { signal: _, ...postOptions } = await createPostOptions(context);
  return { ...forwarding, postOptions };
}

/** Whether to register a temporary endpoint. For `optional`, a failure is only a warning. */
export type RegistrationMode = 'required' | 'optional' | 'none';

/** A temporary endpoint of the listener. */
export interface Registration {
  readonly proofs: VerificationSecrets;
  /** Signs the forwarded deliveries. */
  readonly relaySecret: string;
  readonly notes: readonly (string | Hint)[];
  remove(): Promise<void>;
  /** Disables advanced webhooks, if this process enabled them and the user agrees. */
  restore(): Promise<void>;
}

/** @throws SvcError `usage` if no flag and no temporary endpoint allows verifying deliveries */
export async function decideRegistration(
  context: Context,
  { proofs, skipVerify, publicUrl }: ListenOptions,
): Promise<RegistrationMode> {
  if (proofs.authToken !== undefined || skipVerify) return 'none';
  const hasSecret = proofs.secrets.length > 0;
  if (context.options.local) return 'required';
  if (publicUrl) return hasSecret ? 'none' : 'required';
  const { baseUrl } = await context.target();
  const service = baseUrl && URL.parse(baseUrl.value);
  if (service && isLoopback(service)) return hasSecret ? 'optional' : 'required';
  if (hasSecret) return 'none';
  throw new SvcError('usage', 'a secret or token is required to verify deliveries', {
    hint: 'add --secret-file or --auth-token-file, or use --local for deliveries from the embedded service',
  });
}

/**
 * Registers a temporary endpoint. The service generates a secret for each endpoint, so the listener
 * signs deliveries again with a stable secret: the one in `--secret-file`, or this machine's.
 */
export async function register(
  context: Context,
  { proofs, publicUrl, events, restore }: ListenOptions,
  { need, url }: { readonly need: RegistrationMode; readonly url: string },
): Promise<Registration | undefined> {
  if (need === 'none') return undefined;
  const [given] = proofs.secrets;
  const { createTemporaryEndpoint, restoreAdvancedWebhooks } = await import(
    './temporary-endpoint.ts'
  );
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
    restore: async () => {
      if (endpoint.hasEnabledWebhooks) await restoreAdvancedWebhooks(context, restore);
    },
  };
}

async function expandPatterns(events: readonly string[]): Promise<readonly string[]> {
  return events.flatMap((pattern) =>
    pattern.includes('*') ? EVENT_NAMES.filter((name) => matchesPattern(name, pattern)) : [pattern],
  );
}
