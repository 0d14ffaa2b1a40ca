import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import type { Failed } from './outcome.ts';
import type { NetworkProxy } from './proxy.ts';
import { AttemptTimeout } from './time-limit.ts';
import { NotConnected } from './transport.ts';

/** Failures of finding and opening a connection: nothing of the request has left. */
const BEFORE_SENDING = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['EAI_FAIL', 'the host name could not be looked up'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no network'],
  ['ENETDOWN', 'no network'],
  ['EADDRNOTAVAIL', 'no local address left'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
]);

/** What fetch says, without a code, of a port that it never connects to. */
const BAD_PORT = 'bad port';

/** The certificate, or TLS at all, was refused before anything was sent; trying again would not change it. */
const TLS =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION|ERR_SSL_PACKET_LENGTH)/;

/** What Node tells of a handshake that failed while the request waited for it. */
const HANDSHAKE = 'EPROTO';

/** A proxy did not make a connection: what it answered over HTTP, or that it made none over SOCKS. */
const PROXY_ANSWER = /^Proxy response \((\d+)\)|^Proxy Authentication Required \((407)\)/;
const PROXY = /^UND_ERR_(?:PRX_|SOCKS5)/;

const CERTIFICATE = new Map([
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is signed by nobody but itself'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate is from an authority that is not known'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate is from an authority that is not known'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is from an authority that is not known'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'it does not speak TLS'],
  [HANDSHAKE, 'the two could not agree on how to speak TLS'],
]);

const AFTER_SENDING = new Map([
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_SOCKET', 'the connection was closed before the answer was complete'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'the answer broke off'],
  ['HPE_HEADER_OVERFLOW', 'its headers are too large'],
  ['UND_ERR_HEADERS_OVERFLOW', 'its headers are too large'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'its length is not what it says'],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', 'its length is not what it says'],
  ['Z_DATA_ERROR', 'the answer is compressed wrongly'],
  ['Z_BUF_ERROR', 'the answer broke off'],
]);

/**
 * What became of a request that got no complete reply. The transport's error is not handed on: it may hold the request
 * with its credentials.
 */
export function networkFailure(thrown: unknown, host: string, proxy?: NetworkProxy): Failed {
  const roots = rootsOf(thrown);
  const codes = roots.map(codeOf);
  const reason = reasonOf(roots[0], codes[0] ?? '');
  const isUnsent = thrown instanceof NotConnected || roots.every(isBeforeSending);
  if (codes.some((code) => TLS.test(code) || (isUnsent && code === HANDSHAKE))) {
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
      hint: 'check the base URL (svc auth status shows where it comes from) and the network',
    });
  }
  return failed(`no usable answer from ${host}: ${reason}`, 'maybe', 'by_effect', {
    hint: 'try again; --timeout sets how long an attempt may take',
  });
}

function failed(message: string, applied: Failed['applied'], repeat: Failed['repeat'], hint: { hint: string }): Failed {
  return { kind: 'failed', error: new SvcError('unreachable', message, hint), applied, repeat };
}

/** The errors at the bottom: one, or one for each address that was tried. */
function rootsOf(thrown: unknown): readonly unknown[] {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.flatMap(rootsOf);
  if (thrown instanceof Error && thrown.cause instanceof Error && !isRefusedByProxy(thrown))
    return rootsOf(thrown.cause);
  return [thrown];
}

function codeOf(root: unknown): string {
  if (!(root instanceof Error)) return '';
  const code = systemErrorCode(root) ?? (root.name === 'HTTPParserError' ? 'HPE_' : '');
  if (code === HANDSHAKE && root.message.includes('wrong version number')) return 'ERR_SSL_WRONG_VERSION_NUMBER';
  // What the system resets it says with its call; the rest is a peer that went away.
  return code === 'ECONNRESET' && !('syscall' in root) ? 'UND_ERR_SOCKET' : code;
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
  const known = BEFORE_SENDING.get(code) ?? CERTIFICATE.get(code) ?? AFTER_SENDING.get(code);
  if (known) return known;
  if (root instanceof AttemptTimeout) return root.message;
  if (root instanceof Error && root.message === BAD_PORT) return 'this port is reserved for another protocol';
  return code.startsWith('HPE_') ? 'it is not HTTP' : code || 'the connection failed';
}
