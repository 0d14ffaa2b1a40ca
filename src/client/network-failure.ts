import { connectionCode, connectionFault, speaksOnlyHttp2 } from '../kernel/connection-fault.ts';
import { type ErrorDetail, SvcError, systemErrorCode } from '../kernel/errors.ts';
import { hint, step } from '../kernel/hint.ts';
import type { Failed } from './outcome.ts';
import type { NetworkProxy } from './proxy.ts';
import { AttemptTimeout } from './time-limit.ts';
import { NotConnected } from './transport.ts';

/** Failures of finding and opening a connection: nothing of the request has left. */
const BEFORE_SENDING = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What fetch says, without a code, of a port that it never connects to. */
const BAD_PORT = 'bad port';

/** The certificate, or TLS at all, was refused before anything was sent; trying again would not change it. */
const TLS =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH)/;

/** A proxy did not make a connection: what it answered over HTTP, or that it made none over SOCKS. */
const PROXY_ANSWER = /^Proxy response \((\d+)\)|^Proxy Authentication Required \((407)\)/;
const PROXY = /^UND_ERR_(?:PRX_|SOCKS5)/;

/**
 * What became of a request that got no complete reply. The transport's error is not handed on: it may hold the request
 * with its credentials.
 */
export function networkFailure(thrown: unknown, host: string, proxy?: NetworkProxy): Failed {
  const roots = rootsOf(thrown);
  const codes = roots.map(connectionCode);
  const reason = reasonOf(roots[0], codes[0] ?? '');
  if (roots.some(speaksOnlyHttp2)) {
    return failed(`${host} speaks only HTTP/2; svc uses HTTP/1.1`, 'no', 'never', {
      hint: 'check the port of the base URL, or have HTTP/1.1 switched on in front of the service',
    });
  }
  const isUnsent = thrown instanceof NotConnected || roots.every(isBeforeSending);
  if (codes.some((code) => TLS.test(code) || (isUnsent && code === 'EPROTO'))) {
    return failed(`no secure connection to ${host}: ${reason}`, 'no', 'never', {
      hint: 'check the host name; --ca-file names the certificate of a private authority',
    });
  }
  if (proxy && (isUnsent || roots.some(isRefusedByProxy))) {
    return failed(`no connection to ${host} through the proxy ${proxy.host}: ${reason}`, 'no', 'unsent', {
      hint: `check ${proxy.variable} (with http://user:password@… where the proxy asks for them), or exempt the host with NO_PROXY`,
    });
  }
  if (isUnsent) {
    return failed(`cannot reach ${host}: ${reason}`, 'no', 'unsent', {
      hint: hint`check the base URL (${step('show', 'auth', 'status')} shows where it comes from) and the network`,
    });
  }
  return failed(`no usable answer from ${host}: ${reason}`, 'maybe', 'by_effect', {
    hint: 'try again; --timeout sets how long an attempt may take',
  });
}

function failed(message: string, applied: Failed['applied'], repeat: Failed['repeat'], detail: ErrorDetail): Failed {
  return { kind: 'failed', error: new SvcError('unreachable', message, detail), applied, repeat };
}

/** The errors at the bottom: one, or one for each address that was tried. */
function rootsOf(thrown: unknown): readonly unknown[] {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.flatMap(rootsOf);
  if (thrown instanceof Error && thrown.cause instanceof Error && !isRefusedByProxy(thrown))
    return rootsOf(thrown.cause);
  return [thrown];
}

function isBeforeSending(root: unknown): boolean {
  if (!(root instanceof Error)) return false;
  if (BEFORE_SENDING.has(systemErrorCode(root) ?? '') || root.message === BAD_PORT) return true;
  return 'syscall' in root && (root.syscall === 'connect' || root.syscall === 'getaddrinfo');
}

/** Errors of proxies are wrapped around what caused them, which is no more than a closed socket. */
function isRefusedByProxy(root: unknown): boolean {
  if (!(root instanceof Error)) return false;
  return PROXY.test(systemErrorCode(root) ?? '') || PROXY_ANSWER.test(root.message);
}

function reasonOf(root: unknown, code: string): string {
  const [, ...answered] = (root instanceof Error && PROXY_ANSWER.exec(root.message)) || [];
  if (answered.length > 0) return `it answered with HTTP ${answered.join('')}`;
  if (PROXY.test(code)) return 'it made none';
  if (root instanceof AttemptTimeout) return root.message;
  if (root instanceof Error && root.message === BAD_PORT) return 'this port is reserved for another protocol';
  return connectionFault(root) ?? (code || 'the connection failed');
}
