import { SvcError } from '../../kernel/errors.ts';
import { parsePrivateKey } from '../../webhooks/keys.ts';
import type { Forwarding } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { createPostOptions, parseTargets, parseTargetUrl } from '../deliveries/targets.ts';
import { parsePort, parseWholeNumber } from '../option-values.ts';
import type { ListenFlags } from './flags.ts';
import { readKey, readVerificationSecrets } from './keys.ts';
import { recordFolder } from './record-folder.ts';

export type ListenOptions = Awaited<ReturnType<typeof readListenOptions>>;

const DEFAULT_PORT = 4400;

export async function readListenOptions(context: Context, { options }: Invocation<ListenFlags>) {
  const proofs = await readVerificationSecrets(options, context.signal);
  const skipVerify = options.insecureSkipVerify === true;
  if (skipVerify && (proofs.secrets.length > 0 || proofs.authToken !== undefined)) {
    throw new SvcError('usage', '--insecure-skip-verify cannot be combined with --secret-file or --auth-token-file');
  }
  const publicUrl = options.publicUrl === undefined ? undefined : parseTargetUrl(options.publicUrl, '--public-url');
  return {
    address: { host: options.host ?? '127.0.0.1', port: parsePort(options.port) ?? DEFAULT_PORT },
    allowedHosts: [...(options.allowHost ?? []), ...(publicUrl ? [publicUrl.hostname] : [])],
    proofs,
    skipVerify,
    privateKey: await readKey(context, options.privateKey, parsePrivateKey),
    forwarding: await readForwarding(context, options),
    folder: options.record === false ? undefined : recordFolder(context, options.record),
    maxDeliveries: parseWholeNumber('--exit-after', options.exitAfter, 1) ?? Number.POSITIVE_INFINITY,
    events: await readEvents(context, options),
    /** Whether to disable advanced webhooks on exit. Undefined to prompt. */
    restore: options.restore,
    publicUrl,
  };
}

async function readEvents(context: Context, options: ListenFlags): Promise<readonly string[] | undefined> {
  const events = options.events?.flatMap((list) => list.split(',')).map((event) => event.trim());
  if (events) await (await import('../call/event-types.ts')).checkEventTypes(context, events, options);
  return events;
}

async function readForwarding(context: Context, options: ListenFlags): Promise<Forwarding> {
  const forwarding = { ...parseTargets(options), isDecoded: options.forwardDecoded === true };
  if (forwarding.isDecoded && forwarding.routes.length === 0 && !forwarding.defaultTarget) {
    throw new SvcError('usage', '--forward-decoded requires --forward-to or --route');
  }
  const { signal: _, ...postOptions } = await createPostOptions(context);
  return { ...forwarding, postOptions };
}
