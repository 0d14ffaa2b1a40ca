import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The OpenSSL command line, as an independent implementation. */
function openssl(words: readonly string[], input: Uint8Array | string = ''): Buffer {
  return execFileSync('openssl', words, { input, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Whether OpenSSL is installed. */
export function hasOpenssl(): boolean {
  try {
    return openssl(['version']).length > 0;
  } catch {
    return false;
  }
}

/** The `v1` signature of a delivery. */
export function opensslSignature(
  secret: string,
  id: string,
  timestamp: number,
  body: Uint8Array,
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').toString('hex');
  const words = ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${key}`, '-binary'];
  return `v1,${openssl(words, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])).toString('base64')}`;
}

/** A new key pair in every supported format. */
export function opensslKeys() {
  const pkcs8 = openssl([
    'genpkey',
    '-algorithm',
    'RSA',
    '-pkeyopt',
    'rsa_keygen_bits:2048',
  ]).toString();
  return {
    privateKeys: { pkcs8, pkcs1: openssl(['rsa', '-traditional'], pkcs8).toString() },
    publicKeys: {
      spki: openssl(['pkey', '-pubout'], pkcs8).toString(),
      pkcs1: openssl(['rsa', '-RSAPublicKey_out'], pkcs8).toString(),
    },
  };
}

const OAEP = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'].flatMap(
  (one) => ['-pkeyopt', one],
);

/** The body of an encrypted delivery. */
export function opensslEncrypt(json: string, publicKey: string): string {
  const [key, iv] = [openssl(['rand', '32']), openssl(['rand', '16'])];
  const cipher = ['enc', '-aes-256-cbc', '-K', key.toString('hex'), '-iv', iv.toString('hex')];
  const encryptedKey = withFile(publicKey, (path) =>
    openssl(['pkeyutl', '-encrypt', '-pubin', '-inkey', path, ...OAEP], key),
  );
  return JSON.stringify({
    encryptedData: openssl(cipher, json).toString('base64'),
    encryptedKey: encryptedKey.toString('base64'),
    iv: iv.toString('base64'),
  });
}

/** Decrypts an encrypted body. */
export function opensslDecrypt(body: string, privateKey: string): string {
  const { encryptedData, encryptedKey, iv } = JSON.parse(body);
  const bytes = (base64: string) => Buffer.from(base64, 'base64');
  const key = withFile(privateKey, (path) =>
    openssl(['pkeyutl', '-decrypt', '-inkey', path, ...OAEP], bytes(encryptedKey)),
  );
  const cipher = [
    'enc',
    '-d',
    '-aes-256-cbc',
    '-K',
    key.toString('hex'),
    '-iv',
    bytes(iv).toString('hex'),
  ];
  return openssl(cipher, bytes(encryptedData)).toString();
}

function withFile(text: string, use: (path: string) => Buffer): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'svc-openssl-'));
  try {
    const path = join(folder, 'key.pem');
    writeFileSync(path, text, { mode: 0o600 });
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
