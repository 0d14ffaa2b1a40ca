import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import type { Failed } from './outcome.ts';
import { AttemptTimeout } from './time-limit.ts';

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
const TLS = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|ERR_TLS_CERT_|ERR_SSL_WRONG_VERSION)/;

const AFTER_SENDING = new Map([
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_SOCKET', 'the connection was closed before the answer was complete'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'the answer broke off'],
  ['Z_DATA_ERROR', 'the answer is compressed wrongly'],
  ['Z_BUF_ERROR', 'the answer broke off'],
]);

/**
 * What became of a request that got no complete reply. The transport's error is not handed on: it may hold the request
 * with its credentials.
 */
export function networkFailure(thrown: unknown, host: string): Failed {
  const roots = rootsOf(thrown);
  const codes = roots.map((root) => systemErrorCode(root) ?? '');
  const reason = reasonOf(roots[0], codes[0] ?? '');
  if (codes.some((code) => TLS.test(code))) {
    return failed(`no secure connection to ${host}: ${reason}`, 'no', 'never', {
      hint: 'check the host name; --ca-file names the certificate of a private authority',
    });
  }
  if (roots.every(isBeforeSending)) {
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
  if (thrown instanceof Error && thrown.cause instanceof Error) return rootsOf(thrown.cause);
  return [thrown];
}

function isBeforeSending(root: unknown): boolean {
  if (!(root instanceof Error)) return false;
  if (BEFORE_SENDING.has(systemErrorCode(root) ?? '') || root.message === BAD_PORT) return true;
  return 'syscall' in root && (root.syscall === 'connect' || root.syscall === 'getaddrinfo');
}

function reasonOf(root: unknown, code: string): string {
  const known = BEFORE_SENDING.get(code) ?? AFTER_SENDING.get(code);
  if (known) return known;
  if (root instanceof AttemptTimeout) return root.message;
  if (root instanceof Error && root.message === BAD_PORT) return 'this port is reserved for another protocol';
  return code || 'the connection failed';
}
