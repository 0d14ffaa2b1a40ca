import { withDefaultAuthorities } from '../kernel/certificate-authorities.ts';
import type { Environment } from '../kernel/folders.ts';
import { createHttpTransport } from './http-transport.ts';
import { findProxy, type NetworkProxy } from './proxy.ts';
import type { ClosableTransport, Transport, TransportOptions } from './transport.ts';

export interface NetworkOptions extends Pick<TransportOptions, 'attemptTimeout'> {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Certificates in PEM format, trusted in addition to the default authorities of Node.js. */
  readonly authorities?: string;
}

export interface Network {
  readonly transport: Transport;
  readonly pool: () => Promise<Transport>;
  readonly proxy?: NetworkProxy;
  close(): Promise<void>;
}

/** @throws SvcError `usage` if the proxy in the environment is invalid */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { baseUrl, environment, authorities, attemptTimeout } = options;
  const url = URL.parse(baseUrl);
  const proxy = url ? findProxy(url, environment) : undefined;
  const transportOptions = {
    attemptTimeout,
    ...(authorities !== undefined && { tls: { ca: await withDefaultAuthorities(authorities) } }),
  };
  const lazyPool = openOnce(async () => {
    const { createPoolTransport } = await import('./pool-transport.ts');
    return createPoolTransport({ ...transportOptions, baseUrl, ...(proxy && { proxy }) });
  });
  if (proxy) {
    const transport: Transport = async (request, signal) =>
      (await lazyPool.open())(request, signal);
    return { transport, pool: lazyPool.open, proxy, close: lazyPool.close };
  }
  const single = createHttpTransport(transportOptions);
  return {
    transport: single.transport,
    pool: lazyPool.open,
    close: async () => {
      await Promise.all([single.close(), lazyPool.close()]);
    },
  };
}

function openOnce(open: () => Promise<ClosableTransport>) {
  let opened: Promise<ClosableTransport> | undefined;
  return {
    open: async () => {
      opened ??= open();
      return (await opened).transport;
    },
    close: async () => (await opened)?.close(),
  };
}
