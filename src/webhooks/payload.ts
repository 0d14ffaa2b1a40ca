import { isUtf8 } from 'node:buffer';
import { constants, createCipheriv, createDecipheriv, privateDecrypt, publicEncrypt, randomBytes } from 'node:crypto';
import { exactJsonValue } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/is-object.ts';
import { MOST_NESTING, nestsDeeperThan } from '../kernel/json-nesting.ts';
import { privateKeyOf, publicKeyOf } from './keys.ts';

export interface Packing {
  readonly encode: boolean;
  /** An RSA public key: SPKI or PKCS#1, with or without PEM lines. With it, `encode` has no effect. */
  readonly encryptFor?: string | undefined;
}

/** A payload as it was meant, and how it had been sent; or why there is none: `sealed` is whole but for another key. */
export type Unpacked =
  | { readonly how: 'plain' | 'decoded' | 'decrypted'; readonly json: string; readonly payload: unknown }
  | { readonly how: 'sealed' | 'unreadable'; readonly reason: string };

const CIPHER = 'aes-256-cbc';
const KEY_BYTES = 32;
const IV_BYTES = 16;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const;

/**
 * The body of a delivery from the JSON text of its payload: as it is, base64-encoded, or encrypted.
 * @throws SvcError `bad_data` for what is no RSA public key
 */
export function packBody(json: string, { encode, encryptFor }: Packing): string {
  if (encryptFor) return JSON.stringify(encrypted(json, encryptFor));
  return encode ? JSON.stringify({ encodedPayload: Buffer.from(json).toString('base64') }) : json;
}

/**
 * The payload of a body, decoded or decrypted where it is encoded or encrypted. Its numbers keep the text that they have
 * in the body.
 * @throws SvcError `bad_data` for what is no RSA private key
 */
export function unpackBody(text: string, privateKey?: string): Unpacked {
  if (nestsDeeperThan(MOST_NESTING, text)) return unreadable(`the body is ${TOO_DEEP}`);
  const payload = exactJsonValue(text);
  if (payload === undefined) return unreadable('the body is not JSON');
  if (isEncoded(payload)) return decoded(payload, 'decoded');
  if (!isSealed(payload)) return { how: 'plain', json: text, payload };
  if (!privateKey) return { how: 'sealed', reason: 'the body is encrypted, and no private key was given' };
  const opened = decrypted(payload, privateKey);
  if (!opened) return { how: 'sealed', reason: NOT_OPENED };
  return fromBytes(opened, 'decrypted');
}

const TOO_DEEP = `nested more than ${MOST_NESTING} levels deep`;
const NOT_OPENED = 'the body cannot be decrypted: it was encrypted for another key, or it was changed';

function decoded({ encodedPayload }: Encoded, how: 'decoded' | 'decrypted'): Unpacked {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encodedPayload)) return unreadable('encodedPayload is not base64');
  return fromBytes(Buffer.from(encodedPayload, 'base64'), how);
}

/** What was encrypted may have been encoded before. */
function fromBytes(bytes: Buffer, how: 'decoded' | 'decrypted'): Unpacked {
  const json = isUtf8(bytes) ? bytes.toString() : '';
  if (nestsDeeperThan(MOST_NESTING, json)) return unreadable(`the ${how} payload is ${TOO_DEEP}`);
  const payload = exactJsonValue(json);
  if (payload === undefined) return unreadable(`the ${how} payload is not JSON`);
  return how === 'decrypted' && isEncoded(payload) ? decoded(payload, how) : { how, json, payload };
}

function unreadable(reason: string): Unpacked {
  return { how: 'unreadable', reason };
}

interface Encoded {
  readonly encodedPayload: string;
}

interface Sealed {
  readonly encryptedData: string;
  readonly encryptedKey: string;
  readonly iv: string;
}

function encrypted(json: string, publicKey: string): Sealed {
  const [key, iv] = [randomBytes(KEY_BYTES), randomBytes(IV_BYTES)];
  const cipher = createCipheriv(CIPHER, key, iv);
  return {
    encryptedData: Buffer.concat([cipher.update(json), cipher.final()]).toString('base64'),
    encryptedKey: publicEncrypt({ key: publicKeyOf(publicKey), ...OAEP }, key).toString('base64'),
    iv: iv.toString('base64'),
  };
}

/** One answer for whatever fails, so that nobody learns more from it than that it failed. */
function decrypted(sealed: Sealed, privateKey: string): Buffer | undefined {
  const own = privateKeyOf(privateKey);
  try {
    const key = privateDecrypt({ key: own, ...OAEP }, Buffer.from(sealed.encryptedKey, 'base64'));
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.iv, 'base64'));
    return Buffer.concat([decipher.update(sealed.encryptedData, 'base64'), decipher.final()]);
  } catch {
    return undefined;
  }
}

function isSealed(payload: unknown): payload is Sealed {
  return hasOnly(payload, ['encryptedData', 'encryptedKey', 'iv']);
}

function isEncoded(payload: unknown): payload is Encoded {
  return hasOnly(payload, ['encodedPayload']);
}

/** Whether these are all the fields of an object, and each is a text. */
function hasOnly(payload: unknown, names: readonly string[]): boolean {
  if (!isObject(payload) || Object.keys(payload).length !== names.length) return false;
  return names.every((name) => typeof payload[name] === 'string');
}
