import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SvcError } from '../kernel/errors.ts';

/**
 * An RSA public key from SPKI or PKCS#1, as PEM or as the bare base64 between its lines.
 * @throws SvcError `bad_data` for anything else
 */
export function publicKeyOf(text: string): KeyObject {
  const der = derOf(text);
  return rsaKey('public', ['spki', 'pkcs1'], (type) => createPublicKey({ key: der, format: 'der', type }));
}

/**
 * An RSA private key from PKCS#8 or PKCS#1, as PEM or as the bare base64 between its lines.
 * @throws SvcError `bad_data` for anything else, an encrypted one included; the text is not repeated
 */
export function privateKeyOf(text: string): KeyObject {
  if (text.includes('ENCRYPTED')) {
    throw new SvcError('bad_data', 'the private key is protected by a passphrase', {
      hint: 'write an unprotected copy: openssl pkey -in key.pem -out plain.pem',
    });
  }
  const der = derOf(text);
  return rsaKey('private', ['pkcs8', 'pkcs1'], (type) => createPrivateKey({ key: der, format: 'der', type }));
}

/** In settings, line breaks are often written as `\n`. */
function derOf(text: string): Buffer {
  return Buffer.from(text.replaceAll(/-----[^-]*-----|\\n|\s/g, ''), 'base64');
}

function rsaKey<Type extends string>(
  kind: 'public' | 'private',
  types: readonly Type[],
  read: (type: Type) => KeyObject,
): KeyObject {
  for (const type of types) {
    const key = attempt(() => read(type));
    if (key?.asymmetricKeyType === 'rsa') return key;
  }
  const names = { public: 'SPKI or PKCS#1', private: 'PKCS#8 or PKCS#1' } as const;
  throw new SvcError('bad_data', `this is no RSA ${kind} key`, {
    hint: `give it as ${names[kind]}, with or without PEM lines`,
  });
}

/** What the other encoding may still read is no failure yet. */
function attempt(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
