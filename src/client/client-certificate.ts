import { createSecureContext } from 'node:tls';
import { hint, messageOf, SvcError, step, systemErrorCode } from '../kernel/errors.ts';

/** A certificate and its private key in PEM format, or both as PKCS#12. */
export type KeyPair = { readonly cert: string; readonly key: string } | { readonly pfx: Buffer };

/** A problem with a key pair. `passphrase` means that the passphrase is missing or wrong. */
type KeyPairProblem =
  | 'passphrase'
  | 'mismatch'
  | 'outdated'
  | 'damaged_key'
  | 'damaged_certificate';

export function findKeyPairProblem(
  files: KeyPair,
  passphrase: string | undefined,
): KeyPairProblem | undefined {
  try {
    createSecureContext({ ...files, ...(passphrase !== undefined && { passphrase }) });
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH') return 'mismatch';
    if ('pfx' in files) {
      if (messageOf(error).includes('mac verify failure')) return 'passphrase';
      return code === 'ERR_CRYPTO_UNSUPPORTED_OPERATION' ? 'outdated' : 'damaged_certificate';
    }
    // The error of a missing or wrong passphrase depends on the cipher and on the garbage that it
    // decrypts to.
    if (files.key.includes('ENCRYPTED')) return 'passphrase';
    return isCertificate(files.cert) ? 'damaged_key' : 'damaged_certificate';
  }
}

function isCertificate(cert: string): boolean {
  try {
    createSecureContext({ cert });
    return true;
  } catch {
    return false;
  }
}

/** The key pair that proves the client's identity in a TLS handshake. */
export type ClientCertificate = KeyPair & { readonly passphrase?: string };

/** TLS alerts about the client's certificate, with the reason to follow a colon. */
const ALERTS = new Map([
  [42, 'the server could not verify it'],
  [43, 'the server does not support its type'],
  [44, 'it has been revoked'],
  [45, 'it has expired'],
  [46, 'the server could not verify it'],
  [48, 'the server does not trust its authority'],
  [116, 'the server received none'],
]);

/** A server with TLS 1.2 sends this alert for a missing certificate, but also for other problems. */
const HANDSHAKE_FAILURE = 40;

/**
 * Creates the error for a TLS alert about the client's certificate; `undefined` for another error.
 * The server sends the alert instead of processing a request.
 */
export function createCertificateAlertError(
  root: unknown,
  host: string,
  isSent: boolean,
): SvcError | undefined {
  const alert =
    root instanceof Error ? /SSL alert number (\d+)/.exec(root.message)?.[1] : undefined;
  if (alert === undefined) return undefined;
  const reason = ALERTS.get(Number(alert));
  if (reason !== undefined) return createCertificateError(host, isSent, reason);
  return Number(alert) === HANDSHAKE_FAILURE && !isSent
    ? new SvcError('unreachable', `cannot connect securely to ${host}: the TLS handshake failed`, {
        hint: `if ${host} requires a client certificate, add ${CERTIFICATE_FLAGS}`,
      })
    : undefined;
}

/** Statuses of servers that check client certificates themselves. 495 and 496 are nginx's own. */
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 403, 495, 496]);
const NOT_SENT =
  /no required ssl certificate was sent|client certificate (?:is |was )?(?:required|missing|not (?:present|provided|sent))/i;
const NOT_ACCEPTED =
  /the ssl certificate error|client certificate (?:is |was )?(?:invalid|rejected)/i;

/** Creates the error for a web server's page about the client's certificate, otherwise `undefined`. */
export function createCertificatePageError(
  httpStatus: number,
  text: string,
  host: string,
  isSent: boolean,
): SvcError | undefined {
  if (!REFUSAL_STATUSES.has(httpStatus)) return undefined;
  const status = ` (HTTP ${httpStatus})`;
  if (NOT_SENT.test(text)) return createCertificateError(host, false, '', status);
  return NOT_ACCEPTED.test(text)
    ? createCertificateError(host, isSent, 'the server could not verify it', status)
    : undefined;
}

const CERTIFICATE_FLAGS = '--client-cert and --client-key';

function createCertificateError(host: string, isSent: boolean, reason: string, status = '') {
  if (!isSent)
    return new SvcError('no_credential', `${host} requires a client certificate${status}`, {
      hint: `add ${CERTIFICATE_FLAGS}, or save them in the profile`,
    });
  return new SvcError(
    'unauthenticated',
    `${host} rejected the client certificate${status}: ${reason}`,
    {
      hint: hint`use a certificate that the operator of the service issued to you; to see which one is used, run ${step('show', 'whoami', '--all')}`,
    },
  );
}
