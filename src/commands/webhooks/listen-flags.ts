import { SvcError } from '../../kernel/errors.ts';
import type { Address } from '../../kernel/listening.ts';
import type { Forwarding } from '../../webhooks/listener.ts';
import type { Proofs } from '../../webhooks/verification.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { postOptions, targets, targetUrl } from '../deliveries/target.ts';
import { textValue, textValues, wholeNumber } from '../option-values.ts';
import { portOf } from '../port.ts';
import { readPrivateKey, readProofs } from './keys.ts';
import { recordFolder } from './record-folder.ts';

/** The options of `svc webhooks listen`. */
export interface ListenOptions {
  readonly address: Address;
  readonly allowedHosts: readonly string[];
  readonly proofs: Proofs;
  readonly skipVerify: boolean;
  readonly privateKey: string | undefined;
  readonly forwarding: Forwarding;
  readonly folder: string | undefined;
  /** Ends after so many deliveries were taken. */
  readonly most: number;
  /** Where the service reaches this process through a tunnel. */
  readonly publicUrl: URL | undefined;
}

const DEFAULT_PORT = 4400;

export async function listenOptions(context: Context, invocation: Invocation): Promise<ListenOptions> {
  const { options } = invocation;
  const publicUrl = textValue(options, 'publicUrl');
  const proofs = await readProofs(invocation, context.signal);
  const skipVerify = options['insecureSkipVerify'] === true;
  if (skipVerify && (proofs.secrets.length > 0 || proofs.authToken !== undefined)) {
    throw new SvcError('usage', '--insecure-skip-verify goes with neither --secret-file nor --auth-token-file');
  }
  const url = publicUrl === undefined ? undefined : targetUrl(publicUrl, '--public-url');
  return {
    address: {
      host: textValue(options, 'host') ?? '127.0.0.1',
      port: portOf(textValue(options, 'port')) ?? DEFAULT_PORT,
    },
    allowedHosts: [...textValues(options, 'allowHost'), ...(url ? [url.hostname] : [])],
    proofs,
    skipVerify,
    privateKey: await readPrivateKey(context, options),
    forwarding: await forwardingOf(context, options),
    folder: options['record'] === false ? undefined : recordFolder(context, textValue(options, 'record')),
    most: wholeNumber('--exit-after', textValue(options, 'exitAfter'), 1) ?? Number.POSITIVE_INFINITY,
    publicUrl: url,
  };
}

async function forwardingOf(context: Context, options: Invocation['options']): Promise<Forwarding> {
  const forwarding = { ...targets(options), decoded: options['forwardDecoded'] === true };
  if (forwarding.decoded && forwarding.routes.length === 0 && !forwarding.otherwise) {
    throw new SvcError('usage', '--forward-decoded needs --forward-to or --route');
  }
  const { signal: _, ...how } = await postOptions(context);
  return { ...forwarding, how };
}
