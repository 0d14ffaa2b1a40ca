import type { ClientOptions, Target } from '../../client/client.ts';
import { type NetworkOptions, openNetwork } from '../../client/network.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import { skippedChecksWarning, skipsCertificateChecks } from './certificate-checks.ts';
import { sharedGate } from './shared-gate.ts';

/** How a client reaches who answers, and what is to be closed at the end. */
export interface Route {
  readonly wire: Pick<ClientOptions, 'transport' | 'pool' | 'proxy' | 'sharedGate'>;
  close(): Promise<void>;
}

/** Over the network, as the flags and the environment say. */
export async function networkRoute(context: Context, target: Target): Promise<Route> {
  const { close, ...wire } = await openNetwork(await networkOptions(context, target));
  return { wire: { ...wire, sharedGate: sharedGate(context.folders, context.clock, target) }, close };
}

/** To the embedded service, in this process. */
export async function localRoute({
  folders,
  clock,
  options,
  signal,
}: Context): Promise<Route & { readonly target: Target }> {
  const [{ openEmbedded }, { storeLocation }, { fetchTransport }] = await Promise.all([
    import('../../service/embedded.ts'),
    import('../../service/store/location.ts'),
    import('../../client/fetch-transport.ts'),
  ]);
  const location = await storeLocation(options.store, folders);
  const { fetch, target, close } = await openEmbedded(location, { clock, signal });
  return { wire: { transport: fetchTransport(fetch, options.timeout) }, target, close };
}

async function networkOptions(context: Context, { baseUrl }: Target): Promise<NetworkOptions> {
  const { environment, options, cwd } = context;
  const isSecure = baseUrl.startsWith('https:');
  if (isSecure && skipsCertificateChecks(environment))
    await context.warn(`${skippedChecksWarning()}; --ca-file trusts one`);
  const authorities = options.caFile === undefined ? undefined : await readAuthorities(options.caFile, cwd);
  return { baseUrl, environment, attemptTimeout: options.timeout, ...given('authorities', authorities) };
}

async function readAuthorities(file: string, cwd: string): Promise<string> {
  const { readCertificates } = await import('./ca-file.ts');
  return readCertificates(file, cwd);
}
