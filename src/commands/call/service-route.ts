import type { ClientOptions, Target } from '../../client/client.ts';
import { type NetworkOptions, openNetwork } from '../../client/network.ts';
import type { EmbeddedInstance } from '../../service/embedded.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../option-values.ts';
import { skippedChecksWarning, skipsCertificateChecks } from './certificate-checks.ts';
import { createSharedRateLimit } from './shared-rate-limit.ts';

export interface ServiceRoute {
  readonly wire: Pick<ClientOptions, 'transport' | 'pool' | 'proxy' | 'sharedRateLimit'>;
  close(): Promise<void>;
}

/** Opens a connection over the network, configured by flags and environment variables. */
export async function openNetworkRoute(context: Context, target: Target): Promise<ServiceRoute> {
  const { close, ...wire } = await openNetwork(await networkOptions(context, target));
  return { wire: { ...wire, sharedRateLimit: createSharedRateLimit(context.folders, context.clock, target) }, close };
}

/** Opens the embedded service in this process. */
export async function openEmbeddedRoute(
  context: Context,
): Promise<ServiceRoute & { readonly embedded: EmbeddedInstance }> {
  const { folders, clock, options, signal } = context;
  const [{ openEmbedded }, { resolveStoreLocation }, { createFetchTransport }] = await Promise.all([
    import('../../service/embedded.ts'),
    import('../../service/store/location.ts'),
    import('../../client/fetch-transport.ts'),
  ]);
  const location = await resolveStoreLocation(options.store, folders);
  const embedded = await openEmbedded(location, { clock, signal });
  const transport = createFetchTransport(embedded.fetch, options.timeout);
  return { wire: { transport }, embedded, close: embedded.close };
}

async function networkOptions(context: Context, { baseUrl }: Target): Promise<NetworkOptions> {
  const { environment, options, cwd } = context;
  const isSecure = baseUrl.startsWith('https:');
  if (isSecure && skipsCertificateChecks(environment))
    await context.warn(`${skippedChecksWarning()}; use --ca-file to trust a certificate authority instead`);
  const { caFile } = options;
  const authorities = caFile && (await (await import('./ca-file.ts')).readCertificates(caFile, cwd));
  return { baseUrl, environment, attemptTimeout: options.timeout, ...optionalProperty('authorities', authorities) };
}
