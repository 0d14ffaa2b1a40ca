import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SvcError } from '../kernel/errors.ts';

/** Parses SPKI or PKCS#1, as PEM or as base64 without PEM lines. @throws SvcError `invalid_input` */
export function parsePublicKey(text: string): KeyObject {
  const der = decodeDer(text);
  return readRsaKey('public', ['spki', 'pkcs1'], (type) =>
    createPublicKey({ key: der, format: 'der', type }),
  );
}

/**
 * Parses PKCS#8 or PKCS#1, as PEM or base64.
 * @throws SvcError `invalid_input`, also for an encrypted key, without the text
 */
export function parsePrivateKey(text: string): KeyObject {
  if (text.includes('ENCRYPTED')) {
    throw new SvcError('invalid_input', 'the private key is protected by a passphrase', {
      hint: 'write an unprotected copy: openssl pkey -in key.pem -out plain.pem',
    });
  }
  const der = decodeDer(text);
  return readRsaKey('private', ['pkcs8', 'pkcs1'], (type) =>
    createPrivateKey({ key: der, format: 'der', type }),
  );
}

/** Decodes a key to DER. Also removes `\n` escapes, which are common in settings. */
function decodeDer(text: string): Buffer {
  return Buffer.from(text.replaceAll(/-----[^-]*-----|\\n|\s/g, ''), 'base64');
}

function readRsaKey<Type extends string>(
  kind: 'public' | 'private',
  types: readonly Type[],
  read: (type: Type) => KeyObject,
) {
  for (const type of types) {
    try {
      const key = read(type);
      if (key.asymmetricKeyType === 'rsa') return key;
    } catch {
      // Another format may match.
    }
  }
  const formats = { public: 'SPKI or PKCS#1', private: 'PKCS#8 or PKCS#1' } as const;
  throw new SvcError('invalid_input', `not a valid RSA ${kind} key`, {
    hint: `provide the key as ${formats[kind]}, with or without PEM lines`,
  });
}
