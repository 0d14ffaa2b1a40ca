import type { ClientCertificate } from './client-certificate.ts';
import type { WireRequest } from './request.ts';
import type { BodyText } from './response-body.ts';

export interface WireResponse {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  /** The `Date` header: the time of the response by the sender's clock. */
  readonly date: string | undefined;
  readonly body: BodyText;
  /** Returns the first value of another header. Names are in lower case. */
  readonly header?: (name: string) => string | undefined;
}

/**
 * Sends a request once. Does not follow redirects, so that credentials stay with their host.
 * Rejects without a complete response: with an AttemptTimeoutError after the time limit, or with
 * the signal's reason after an abort.
 */
export type Transport = (request: WireRequest, signal?: AbortSignal) => Promise<WireResponse>;

export interface ClosableTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

export interface TransportOptions {
  /**
   * Time limit of one attempt in milliseconds, from the first byte sent to the last byte received.
   */
  readonly attemptTimeout: number;
  readonly tls?: TrustedAuthorities | undefined;
  readonly clientCertificate?: ClientCertificate | undefined;
}

export interface TrustedAuthorities {
  readonly ca: string[];
}

/** A peer of a connection: the proxy in front of the service, or the service itself. */
export type ConnectionPart = 'proxy' | 'service';

/** Start and end of the validity of a certificate, as Node.js names them. */
export interface CertificateDates {
  readonly valid_from: string;
  readonly valid_to: string;
}

/** The connection, TLS included, could not be established, so nothing was sent. */
export class NotConnectedError extends Error {
  /** The peer that the connection failed at. */
  readonly part: ConnectionPart;
  /** The certificate that the peer presented. */
  readonly certificate: CertificateDates | undefined;

  constructor(part: ConnectionPart, cause: Error, certificate?: CertificateDates) {
    super('no connection', { cause });
    this.name = 'NotConnected';
    this.part = part;
    this.certificate = certificate;
  }
}

/** A proxy did not connect to the service. The message is the reason, and contains no secret. */
export class ProxyRefusalError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ProxyRefusal';
  }
}

/** Event of a request that ends before its agent has found a connection for it. */
export const ABANDONED = 'abandoned';

/** Time limit for opening a connection, TLS included, in milliseconds. */
export const CONNECT_TIMEOUT = 10_000;

export function readResponseHead(
  httpStatus: number,
  header: (name: string) => string | readonly string[] | null | undefined,
): Omit<WireResponse, 'body'> {
  const first = (name: string) => {
    const value = header(name) ?? undefined;
    return typeof value === 'object' ? value[0] : value;
  };
  return {
    httpStatus,
    retryAfter: first('retry-after'),
    location: first('location'),
    date: first('date'),
    header: first,
  };
}
