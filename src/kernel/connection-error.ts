import { systemErrorCode } from './errors.ts';

/** Descriptions of error codes from the system, Node's HTTP client, undici, OpenSSL, and zlib. */
const DESCRIPTIONS = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'the host name could not be resolved'],
  ['EAI_FAIL', 'the host name could not be resolved'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['ENETDOWN', 'the network is down'],
  ['EADDRNOTAVAIL', 'no local port is available'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting timed out'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is self-signed'],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'the certificate chain contains an untrusted self-signed certificate',
  ],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate was issued by an unknown authority'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate was issued by an unknown authority'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the server does not speak TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'the server does not speak TLS'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'the server supports neither TLS 1.2 nor TLS 1.3'],
  ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'the server has no certificate for this host name'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'a client certificate is required'],
  ['EPROTO', 'the TLS handshake failed'],
  ['ECONNRESET', 'the connection was reset'],
  ['EPIPE', 'the connection was closed'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['UND_ERR_SOCKET', 'the connection was closed before the response was complete'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no response in time'],
  ['UND_ERR_BODY_TIMEOUT', 'the response was cut off'],
  ['HPE_HEADER_OVERFLOW', 'the response headers are too large'],
  ['UND_ERR_HEADERS_OVERFLOW', 'the response headers are too large'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the response length does not match its Content-Length'],
  ['HPE_UNEXPECTED_CONTENT_LENGTH', 'the response length does not match its Content-Length'],
  ['Z_DATA_ERROR', 'the response has invalid compression'],
  ['Z_BUF_ERROR', 'the response was cut off'],
]);

/**
 * Describes why a connection failed, to follow a colon in a message; undefined for an unknown
 * error.
 */
export function describeConnectionError(error: unknown): string | undefined {
  const code = connectionErrorCode(error);
  if (DESCRIPTIONS.has(code)) return DESCRIPTIONS.get(code);
  if (code.startsWith('ERR_SSL_')) return DESCRIPTIONS.get('EPROTO');
  return code.startsWith('HPE_') ? 'the response is not HTTP' : undefined;
}

/** Kinds of connection failures that have different causes. */
export type ConnectionFailure = 'connection refused' | 'timeout' | 'reset' | 'dns' | 'tls';

const FAILURES = new Map<string, ConnectionFailure>([
  ['ECONNREFUSED', 'connection refused'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EAI_FAIL', 'dns'],
  ['EPROTO', 'tls'],
]);

/** Returns the kind of a connection failure; undefined for any other error. */
export function findConnectionFailure(error: unknown): ConnectionFailure | undefined {
  const code = connectionErrorCode(error);
  const isTls = /^ERR_(?:SSL|TLS)_|CERT|^UNABLE_TO_/.test(code);
  return FAILURES.get(code) ?? (isTls ? 'tls' : undefined);
}

/** OpenSSL's code for a server that speaks none of the offered application protocols. */
const NO_APPLICATION_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';
/** Type of the first frame of an HTTP/2 connection, and the length of a frame header in bytes. */
const [SETTINGS, FRAME_HEADER_BYTES] = [4, 9];

/** Whether the server speaks only HTTP/2. Such a server has not processed an HTTP/1.1 request. */
export function requiresHttp2(error: unknown): boolean {
  if (connectionErrorCode(error) === NO_APPLICATION_PROTOCOL) return true;
  const { rawPacket, data } = Object(error) as {
    readonly rawPacket?: unknown;
    readonly data?: unknown;
  };
  const received = typeof data === 'string' ? Buffer.from(data) : rawPacket;
  if (!Buffer.isBuffer(received) || received.length < FRAME_HEADER_BYTES) return false;
  // Three bytes of length, then type, flags, and stream ID 0.
  return (
    received[0] === 0 &&
    received[3] === SETTINGS &&
    received[4] === 0 &&
    received.readUInt32BE(5) === 0
  );
}

/**
 * Codes for the messages of OpenSSL. Node.js reports a failed handshake as EPROTO if a request is
 * already queued.
 */
const HANDSHAKE_FAILURES: readonly (readonly [RegExp, string])[] = [
  [/wrong version number|packet length too long/, 'ERR_SSL_WRONG_VERSION_NUMBER'],
  [/no application protocol/, NO_APPLICATION_PROTOCOL],
  [/alert protocol version|unsupported protocol/, 'ERR_SSL_UNSUPPORTED_PROTOCOL'],
  [/unrecognized name/, 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'],
  [/alert certificate required/, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
];

export function connectionErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = systemErrorCode(error) ?? (error.name === 'HTTPParserError' ? 'HPE_' : '');
  const handshakeCode =
    (code === 'EPROTO' || code.startsWith('ERR_SSL_')) &&
    HANDSHAKE_FAILURES.find(([pattern]) => pattern.test(error.message))?.[1];
  if (handshakeCode) return handshakeCode;
  // A reset by the system names the system call; otherwise the server closed the connection.
  return code === 'ECONNRESET' && !('syscall' in error) ? 'UND_ERR_SOCKET' : code;
}
