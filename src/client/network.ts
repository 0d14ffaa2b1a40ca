import { withKnownAuthorities } from '../kernel/certificate-authorities.ts';
import type { Environment } from '../kernel/folders.ts';
import { httpTransport } from './http-transport.ts';
import { type NetworkProxy, proxyFor } from './proxy.ts';
import type { OpenTransport, Transport, WireOptions } from './transport.ts';

export interface NetworkOptions extends Pick<WireOptions, 'attemptTimeout'> {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Certificates in PEM form, trusted besides the authorities that Node knows. */
  readonly authorities?: string;
}

/** The way to the service. */
export interface Network {
  readonly transport: Transport;
  /** Connections for many calls at once, opened when they are asked for. */
  readonly pool: () => Promise<Transport>;
  readonly proxy?: NetworkProxy;
  /** Gives back the connections that are kept open for further calls. */
  close(): Promise<void>;
}

/** @throws SvcError `usage` when the environment's proxy is not usable */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { baseUrl, environment, authorities, attemptTimeout } = options;
  const url = URL.parse(baseUrl);
  const proxy = url ? await proxyFor(url, environment) : undefined;
  const wire = {
    attemptTimeout,
    ...(authorities !== undefined && { tls: { ca: await withKnownAuthorities(authorities) } }),
  };
  const many = lazily(async () => {
    const { poolTransport } = await import('./pool-transport.ts');
    return poolTransport({ ...wire, baseUrl, ...(proxy && { proxy }) });
  });
  if (proxy) {
    const transport: Transport = async (request, signal) => (await many.open())(request, signal);
    return { transport, pool: many.open, proxy, close: many.close };
  }
  const single = httpTransport(wire);
  return {
    transport: single.transport,
    pool: many.open,
    close: async () => {
      await Promise.all([single.close(), many.close()]);
    },
  };
}

function lazily(open: () => Promise<OpenTransport>) {
  let opened: Promise<OpenTransport> | undefined;
  return {
    open: async () => {
      opened ??= open();
      return (await opened).transport;
    },
    close: async () => (await opened)?.close(),
  };
}
