import { withDefaultAuthorities } from '../kernel/certificate-authorities.ts';
import type { Environment } from '../kernel/folders.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { createHttpTransport } from './http-transport.ts';
import type { NetworkPath } from './network-failure.ts';
import { findProxy } from './proxy.ts';
import type { ClosableTransport, TransportOptions } from './transport.ts';

export interface NetworkOptions extends Pick<TransportOptions, 'attemptTimeout'> {
  readonly baseUrl: string;
  readonly environment: Environment;
  /** Certificates in PEM format, trusted in addition to the default authorities of Node.js. */
  readonly authorities?: string;
  readonly clientCertificate?: ClientCertificate | undefined;
}

export interface Network extends NetworkPath, ClosableTransport {}

/** @throws SvcError `usage` if the proxy in the environment is invalid */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { baseUrl, environment, authorities, attemptTimeout, clientCertificate } = options;
  const url = URL.parse(baseUrl);
  const proxy = url ? findProxy(url, environment) : undefined;
  const tls = authorities === undefined ? undefined : { ca: withDefaultAuthorities(authorities) };
  return {
    ...createHttpTransport({ attemptTimeout, clientCertificate, tls, proxy }),
    proxy,
    hasClientCertificate: clientCertificate !== undefined,
  };
}
