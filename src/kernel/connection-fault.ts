import { systemErrorCode } from './errors.ts';

/** By the codes of the system, of Node's HTTP client, of undici, OpenSSL and zlib. */
const WORDS = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'the host name could not be looked up'],
  ['EAI_FAIL', 'the host name could not be looked up'],
  ['EHOSTUNREACH', 'no route to the host'],
  ['ENETUNREACH', 'no network'],
  ['ENETDOWN', 'no network'],
  ['EADDRNOTAVAIL', 'no local address left'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'the certificate is for another host'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is signed by nobody but itself'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'the certificate is from an authority that is not known'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'the certificate is from an authority that is not known'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'the certificate is from an authority that is not known'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'it does not speak TLS'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'it does not speak TLS'],
  ['EPROTO', 'the two could not agree on how to speak TLS'],
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

/** Why nothing was heard of another machine, in words that go on behind a colon; undefined where there are none. */
export function connectionFault(error: unknown): string | undefined {
  const code = connectionCode(error);
  return WORDS.get(code) ?? (code.startsWith('HPE_') ? 'it is not HTTP' : undefined);
}

/** What TLS says where no protocol that was offered is spoken. */
const NO_PROTOCOL = 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL';

/** Type of the frame that HTTP/2 begins with, and the bytes of the frame's head. */
const [SETTINGS, FRAME_HEAD] = [4, 9];

/**
 * Whether a connection failed because the other side speaks HTTP/2 and nothing else: it refused HTTP/1.1 when TLS was
 * agreed on, or began with a frame. A request in HTTP/1.1 means nothing to it.
 */
export function speaksOnlyHttp2(error: unknown): boolean {
  if (connectionCode(error) === NO_PROTOCOL) return true;
  const { rawPacket, data } = Object(error) as { readonly rawPacket?: unknown; readonly data?: unknown };
  const received = typeof data === 'string' ? Buffer.from(data) : rawPacket;
  if (!Buffer.isBuffer(received) || received.length < FRAME_HEAD) return false;
  // Length in three bytes, type, flags, and the number of no stream.
  return received[0] === 0 && received[3] === SETTINGS && received[4] === 0 && received.readUInt32BE(5) === 0;
}

/** The code of a connection that failed, the same however Node came to hear of it; empty where it has none. */
export function connectionCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = systemErrorCode(error) ?? (error.name === 'HTTPParserError' ? 'HPE_' : '');
  // A handshake fails so where the request waits for it already.
  if (code === 'EPROTO' && error.message.includes('wrong version number')) return 'ERR_SSL_WRONG_VERSION_NUMBER';
  if (code === 'EPROTO' && error.message.includes('no application protocol')) return NO_PROTOCOL;
  // What the system resets it says with its call; the rest is a peer that went away.
  return code === 'ECONNRESET' && !('syscall' in error) ? 'UND_ERR_SOCKET' : code;
}
