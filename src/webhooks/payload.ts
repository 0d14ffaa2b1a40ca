import { isUtf8 } from 'node:buffer';
import {
  constants,
  createCipheriv,
  createDecipheriv,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { parseExactJson } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/json.ts';
import { MAX_NESTING, nestsDeeperThan } from '../kernel/json-nesting.ts';
import { parsePrivateKey, parsePublicKey } from './keys.ts';

export interface PackOptions {
  readonly encode: boolean;
  /**
   * An RSA public key: SPKI or PKCS#1, with or without PEM lines. With it, `encode` has no effect.
   */
  readonly encryptFor?: string | undefined;
}

/**
 * A decoded payload and how it was packed, or the reason for the failure: `undecryptable` means
 * that the key is missing or wrong.
 */
export type UnpackedBody =
  | {
      readonly kind: 'plain' | 'decoded' | 'decrypted';
      readonly json: string;
      readonly payload: unknown;
    }
  | { readonly kind: 'undecryptable' | 'unreadable'; readonly reason: string };

const CIPHER = 'aes-256-cbc';
const KEY_BYTES = 32;
const IV_BYTES = 16;
const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' } as const;

/** @throws SvcError `invalid_input` if the public key is invalid */
export function packBody(json: string, { encode, encryptFor }: PackOptions): string {
  if (encryptFor) return JSON.stringify(encryptPayload(json, encryptFor));
  return encode ? JSON.stringify({ encodedPayload: Buffer.from(json).toString('base64') }) : json;
}

/**
 * Decodes or decrypts if necessary. Numbers keep their exact text.
 * @throws SvcError `invalid_input` for an invalid private key
 */
export function unpackBody(text: string, privateKey?: string): UnpackedBody {
  if (nestsDeeperThan(MAX_NESTING, text)) return createUnreadable(`the body is ${TOO_DEEP}`);
  const payload = parseExactJson(text);
  if (payload === undefined) return createUnreadable('the body is not JSON');
  if (isEncoded(payload)) return decodePayload(payload.encodedPayload, 'decoded');
  if (!isEncrypted(payload)) return { kind: 'plain', json: text, payload };
  if (!privateKey)
    return { kind: 'undecryptable', reason: 'the body is encrypted, but no private key was given' };
  const decrypted = decryptPayload(payload, privateKey);
  if (!decrypted) return { kind: 'undecryptable', reason: CANNOT_DECRYPT };
  return parsePayload(decrypted, 'decrypted');
}

const TOO_DEEP = `nested more than ${MAX_NESTING} levels deep`;
const CANNOT_DECRYPT = 'the body cannot be decrypted: it was encrypted for another key or modified';

function decodePayload(encodedPayload: string, kind: 'decoded' | 'decrypted'): UnpackedBody {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encodedPayload))
    return createUnreadable('encodedPayload is not base64');
  return parsePayload(Buffer.from(encodedPayload, 'base64'), kind);
}

function parsePayload(bytes: Buffer, kind: 'decoded' | 'decrypted'): UnpackedBody {
  const json = isUtf8(bytes) ? bytes.toString() : '';
  if (nestsDeeperThan(MAX_NESTING, json))
    return createUnreadable(`the ${kind} payload is ${TOO_DEEP}`);
  const payload = parseExactJson(json);
  if (payload === undefined) return createUnreadable(`the ${kind} payload is not JSON`);
  return kind === 'decrypted' && isEncoded(payload)
    ? decodePayload(payload.encodedPayload, kind)
    : { kind, json, payload };
}

function createUnreadable(reason: string): UnpackedBody {
  return { kind: 'unreadable', reason };
}

type EncryptedPayload = Readonly<ReturnType<typeof encryptPayload>>;

function encryptPayload(json: string, publicKey: string) {
  const [key, iv] = [randomBytes(KEY_BYTES), randomBytes(IV_BYTES)];
  const cipher = createCipheriv(CIPHER, key, iv);
  return {
    encryptedData: Buffer.concat([cipher.update(json), cipher.final()]).toString('base64'),
    encryptedKey: publicEncrypt({ key: parsePublicKey(publicKey), ...OAEP }, key).toString(
      'base64',
    ),
    iv: iv.toString('base64'),
  };
}

/**
 * Decrypts a payload. Returns `undefined` for every kind of failure, so that the cause leaks
 * nothing about the key.
 */
function decryptPayload(encrypted: EncryptedPayload, privateKey: string): Buffer | undefined {
  const parsedKey = parsePrivateKey(privateKey);
  try {
    const key = privateDecrypt(
      { key: parsedKey, ...OAEP },
      Buffer.from(encrypted.encryptedKey, 'base64'),
    );
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(encrypted.iv, 'base64'));
    return Buffer.concat([decipher.update(encrypted.encryptedData, 'base64'), decipher.final()]);
  } catch {
    return undefined;
  }
}

function isEncrypted(payload: unknown): payload is EncryptedPayload {
  return hasOnlyTextFields(payload, ['encryptedData', 'encryptedKey', 'iv']);
}

function isEncoded(payload: unknown): payload is { readonly encodedPayload: string } {
  return hasOnlyTextFields(payload, ['encodedPayload']);
}

function hasOnlyTextFields(payload: unknown, names: readonly string[]): boolean {
  if (!isObject(payload) || Object.keys(payload).length !== names.length) return false;
  return names.every((name) => typeof payload[name] === 'string');
}
