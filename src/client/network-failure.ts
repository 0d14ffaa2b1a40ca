import {
  connectionErrorCode,
  describeConnectionError,
  requiresHttp2,
} from '../kernel/connection-error.ts';
import { type ErrorDetail, hint, SvcError, step, systemErrorCode } from '../kernel/errors.ts';
import { createCertificateAlertError } from './client-certificate.ts';
import type { SendFailure } from './outcome.ts';
import type { NetworkProxy } from './proxy.ts';
import { AttemptTimeoutError } from './time-limit.ts';
import { NotConnectedError, ProxyRefusalError } from './transport.ts';

/** Matches error codes of name resolution and connection setup: no part of the request was sent. */
const BEFORE_SENDING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;

/** Message of the `fetch` error for a blocked port. The error has no code. */
const BAD_PORT = 'bad port';

const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_)/;
const HANDSHAKE = /^(?:EPROTO$|ERR_SSL_)/;

/** The properties of a connection that change the meaning of an error. */
export interface NetworkPath {
  readonly proxy?: NetworkProxy | undefined;
  readonly hasClientCertificate?: boolean | undefined;
}

/**
 * Omits the transport's error as the cause, because it may contain the request with its
 * credentials.
 */
export function createNetworkFailure(
  thrown: unknown,
  host: string,
  { proxy, hasClientCertificate = false }: NetworkPath = {},
): SendFailure {
  const roots = rootCausesOf(thrown);
  const codes = roots.map(connectionErrorCode);
  const dates = describeDates(thrown, codes);
  if (proxy && thrown instanceof NotConnectedError && thrown.part === 'proxy')
    return createProxyFailure(roots, host, proxy, dates);
  for (const root of roots) {
    const error = createCertificateAlertError(root, host, hasClientCertificate);
    if (error) return { kind: 'failed', error, applied: 'no', retry: 'never' };
  }
  if (roots.some(requiresHttp2)) {
    return createFailure(`${host} supports only HTTP/2, but svc uses HTTP/1.1`, 'no', 'never', {
      hint: 'check the port of the base URL, or enable HTTP/1.1 on the server',
    });
  }
  const isUnsent = thrown instanceof NotConnectedError || roots.every(isBeforeSending);
  const [code = ''] = codes;
  const reason =
    isUnsent && code === 'UND_ERR_SOCKET'
      ? 'the server closed the connection'
      : (dates ?? reasonOf(roots[0], code));
  if (codes.some((code) => CERTIFICATE.test(code))) {
    return createFailure(`cannot connect securely to ${host}: ${reason}`, 'no', 'never', {
      hint: dates === undefined ? UNTRUSTED_HINT : OUT_OF_DATE_HINT,
    });
  }
  if (isUnsent && codes.some((code) => HANDSHAKE.test(code))) {
    return createFailure(`cannot connect securely to ${host}: ${reason}`, 'no', 'never', {
      hint: hint`check the host and port of the base URL, and the TLS settings of the server; to see where the base URL is set, run ${step('show', 'whoami', '--all')}`,
    });
  }
  if (isUnsent) {
    return createFailure(`cannot reach ${host}: ${reason}`, 'no', 'unsent', {
      hint: hint`check the network and the base URL; to see where it is set, run ${step('show', 'whoami', '--all')}`,
    });
  }
  return createFailure(`no usable response from ${host}: ${reason}`, 'maybe', 'by_effect', {
    hint: 'try again; to allow more time per attempt, use --timeout',
  });
}

const UNTRUSTED_HINT =
  'check the host name; to trust a private certificate authority, use --ca-file';
const OUT_OF_DATE_HINT =
  'check the clock of this machine; if it is right, the operator of the server must renew the certificate';

/** Creates the failure of a connection that did not reach the service behind a proxy. */
function createProxyFailure(
  roots: readonly unknown[],
  host: string,
  proxy: NetworkProxy,
  dates: string | undefined,
): SendFailure {
  const [root] = roots;
  const code = connectionErrorCode(root);
  const reason = dates ?? reasonOf(root, code);
  if (CERTIFICATE.test(code) || HANDSHAKE.test(code)) {
    return createFailure(
      `cannot connect securely to the proxy ${proxy.host}: ${reason}`,
      'no',
      'never',
      { hint: dates === undefined ? hintForTlsProxy(code, proxy) : OUT_OF_DATE_HINT },
    );
  }
  return createFailure(
    `cannot connect to ${host} through the proxy ${proxy.host}: ${reason}`,
    'no',
    'unsent',
    {
      hint: `check ${proxy.variable}, and the user name and password in it if the proxy requires them; to bypass the proxy, list the host in NO_PROXY`,
    },
  );
}

function hintForTlsProxy(code: string, { variable }: NetworkProxy): string {
  if (code.endsWith('CERTIFICATE_REQUIRED'))
    return `svc sends client certificates only to the service: set ${variable} to a proxy that requires none`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return `if the proxy does not use TLS, write http:// instead of https:// in ${variable}`;
  return CERTIFICATE.test(code)
    ? `check ${variable}; to trust a private certificate authority, use --ca-file`
    : `check ${variable}, and the TLS settings of the proxy`;
}

function createFailure(
  message: string,
  applied: SendFailure['applied'],
  retry: SendFailure['retry'],
  detail: ErrorDetail,
): SendFailure {
  return { kind: 'failed', error: new SvcError('unreachable', message, detail), applied, retry };
}

/** Names the date of a certificate that is not valid now, and the time of this machine's clock. */
function describeDates(thrown: unknown, codes: readonly string[]): string | undefined {
  const isOutOfDate = codes.some((code) => /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code));
  if (!isOutOfDate || !(thrown instanceof NotConnectedError) || !thrown.certificate)
    return undefined;
  const { valid_from: start, valid_to: end } = thrown.certificate;
  const now = Date.now();
  const clock = `this machine's clock says ${formatMinute(now)}`;
  if (Date.parse(end) < now)
    return `the certificate expired on ${formatMinute(Date.parse(end))} (${clock})`;
  return Date.parse(start) > now
    ? `the certificate is not valid before ${formatMinute(Date.parse(start))} (${clock})`
    : undefined;
}

function formatMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function rootCausesOf(thrown: unknown): readonly unknown[] {
  if (thrown instanceof AggregateError && thrown.errors.length > 0)
    return thrown.errors.flatMap(rootCausesOf);
  if (thrown instanceof Error && thrown.cause instanceof Error) return rootCausesOf(thrown.cause);
  return [thrown];
}

function isBeforeSending(root: unknown): boolean {
  if (!(root instanceof Error)) return false;
  if (BEFORE_SENDING.test(systemErrorCode(root) ?? '') || root.message === BAD_PORT) return true;
  return 'syscall' in root && (root.syscall === 'connect' || root.syscall === 'getaddrinfo');
}

function reasonOf(root: unknown, code: string): string {
  if (root instanceof ProxyRefusalError || root instanceof AttemptTimeoutError) return root.message;
  if (root instanceof Error && root.message === BAD_PORT)
    return 'this port is reserved for another protocol';
  return describeConnectionError(root) ?? (code || 'the connection failed');
}
