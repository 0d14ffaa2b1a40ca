import { withDefaultAuthorities } from '../kernel/certificate-authorities.ts';
import type { Environment } from '../kernel/folders.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { createHttpTransport } from './http-transport.ts';
import type { NetworkPath } from './network-failure.ts';
import { findProxy } from './proxy.ts';
import type { ClosableTransport, Transport, TransportOptions } from './transport.ts';

export interface NetworkOptions extends Pick<TransportOptions, 'attemptTimeout'> {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Certificates in PEM format, trusted in addition to the default authorities of Node.js. */
  readonly authorities?: string;
  readonly clientCertificate?: ClientCertificate | undefined;
}

export interface Network extends NetworkPath {
  readonly transport: Transport;
  readonly pool: () => Promise<Transport>;
  close(): Promise<void>;
}

/** @throws SvcError `usage` if the proxy in the environment is invalid */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { baseUrl, environment, authorities, attemptTimeout, clientCertificate } = options;
  const url = URL.parse(baseUrl);
  const proxy = url ? findProxy(url, environment) : undefined;
  const transportOptions = {
    attemptTimeout,
    clientCertificate,
    ...(authorities !== undefined && { tls: { ca: await withDefaultAuthorities(authorities) } }),
  };
  const path = { proxy, hasClientCertificate: clientCertificate !== undefined };
  const lazyPool = openOnce(async () => {
    const { createPoolTransport } = await import('./pool-transport.ts');
    return createPoolTransport({ ...transportOptions, baseUrl, ...(proxy && { proxy }) });
  });
  if (proxy) {
    const transport: Transport = async (request, signal) =>
      (await lazyPool.open())(request, signal);
    return { ...path, transport, pool: lazyPool.open, close: lazyPool.close };
  }
  const single = createHttpTransport(transportOptions);
  return {
    ...path,
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
