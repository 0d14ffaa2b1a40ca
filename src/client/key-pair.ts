import { createSecureContext } from 'node:tls';
import { messageOf, systemErrorCode } from '../kernel/errors.ts';

/** A certificate and its private key in PEM format, or both as PKCS#12. */
export type KeyPair = { readonly cert: string; readonly key: string } | { readonly pfx: Buffer };

/** `passphrase`: it is missing or wrong. */
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
