import { SvcError } from '../../kernel/errors.ts';
import type { ListenAddress } from '../../kernel/listening.ts';
import type { Forwarding } from '../../webhooks/listener.ts';
import type { VerificationSecrets } from '../../webhooks/verification.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { parseTargets, parseTargetUrl, postOptions } from '../deliveries/targets.ts';
import { parseWholeNumber } from '../option-values.ts';
import { parsePort } from '../port.ts';
import type { ListenFlags } from './flags.ts';
import { readPrivateKey, readVerificationSecrets } from './keys.ts';
import { recordFolder } from './record-folder.ts';

/** Parsed options of `svc webhooks listen`. */
export interface ListenOptions {
  readonly address: ListenAddress;
  readonly allowedHosts: readonly string[];
  readonly proofs: VerificationSecrets;
  readonly skipVerify: boolean;
  readonly privateKey: string | undefined;
  readonly forwarding: Forwarding;
  readonly folder: string | undefined;
  /** Number of accepted deliveries after which the command exits. */
  readonly maxDeliveries: number;
  /** Patterns of the event types to receive (default: all). */
  readonly events: readonly string[] | undefined;
  /** Whether to disable advanced webhooks again; undefined to ask. */
  readonly restore: boolean | undefined;
  /** URL of a tunnel through which the service reaches this process. */
  readonly publicUrl: URL | undefined;
}

const DEFAULT_PORT = 4400;

export async function readListenOptions(
  context: Context,
  { options }: Invocation<ListenFlags>,
): Promise<ListenOptions> {
  const publicUrl = options.publicUrl;
  const proofs = await readVerificationSecrets(options, context.signal);
  const skipVerify = options.insecureSkipVerify === true;
  if (skipVerify && (proofs.secrets.length > 0 || proofs.authToken !== undefined)) {
    throw new SvcError('usage', '--insecure-skip-verify cannot be combined with --secret-file or --auth-token-file');
  }
  const url = publicUrl === undefined ? undefined : parseTargetUrl(publicUrl, '--public-url');
  return {
    address: {
      host: options.host ?? '127.0.0.1',
      port: parsePort(options.port) ?? DEFAULT_PORT,
    },
    allowedHosts: [...(options.allowHost ?? []), ...(url ? [url.hostname] : [])],
    proofs,
    skipVerify,
    privateKey: await readPrivateKey(context, options.privateKey),
    forwarding: await readForwarding(context, options),
    folder: options.record === false ? undefined : recordFolder(context, options.record),
    maxDeliveries: parseWholeNumber('--exit-after', options.exitAfter, 1) ?? Number.POSITIVE_INFINITY,
    events: await readEvents(context, options),
    restore: options.restore,
    publicUrl: url,
  };
}

/** Reads `--events`. Event types contain no commas. @throws SvcError `usage` for an unknown type */
async function readEvents(context: Context, options: ListenFlags): Promise<readonly string[] | undefined> {
  const events = options.events?.flatMap((list) => list.split(',')).map((event) => event.trim());
  if (events) {
    const { checkEventTypes } = await import('../call/event-types.ts');
    await checkEventTypes(context, events, options);
  }
  return events;
}

async function readForwarding(context: Context, options: ListenFlags): Promise<Forwarding> {
  const forwarding = { ...parseTargets(options), isDecoded: options.forwardDecoded === true };
  if (forwarding.isDecoded && forwarding.routes.length === 0 && !forwarding.defaultTarget) {
    throw new SvcError('usage', '--forward-decoded requires --forward-to or --route');
  }
  const { signal: _, ...how } = await postOptions(context);
  return { ...forwarding, postOptions: how };
}
