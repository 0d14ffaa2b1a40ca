import { isUtf8 } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { hint, SvcError, stepWithPlaceholder } from '../kernel/errors.ts';
import { isSameSecret } from '../kernel/same-secret.ts';
import { SIGNATURE_HEADERS, type WebhookForm } from './form.ts';
import {
  groupHeaders,
  type HeaderList,
  type Headers,
  headerValuesOf,
  withoutHeaders,
} from './headers.ts';

/** A signing secret as text, or as a parsed key to avoid parsing it for each signature. */
export type SigningSecret = string | KeyObject;

/**
 * The content that a signature covers. `timestamp` is in Unix seconds; the ID must not contain a
 * period.
 */
export interface SignedContent {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

type Signable = { readonly headers: HeaderList; readonly body: Uint8Array };

export interface ReceivedDelivery {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export type Verification =
  | { readonly verified: true; readonly form: WebhookForm }
  | { readonly verified: false; readonly reason: string };

/** Maximum difference between a delivery's timestamp and the current time, in seconds. */
export const TIMESTAMP_TOLERANCE = 5 * 60;
const SECRET_PREFIX = 'whsec_';

export function createSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(24).toString('base64')}`;
}

/**
 * Creates a Standard Webhooks signature: `v1,<base64>`.
 * @throws SvcError `invalid_input`, without the secret
 */
export function sign(secret: SigningSecret, { id, timestamp, body }: SignedContent): string {
  const key = typeof secret === 'string' ? parseSigningSecret(secret) : secret;
  return computeSignature(key, id, String(timestamp), body);
}

export function createSignatureHeaders(
  secret: SigningSecret,
  delivery: SignedContent,
): Record<string, string> {
  return {
    [SIGNATURE_HEADERS.id]: delivery.id,
    [SIGNATURE_HEADERS.timestamp]: String(delivery.timestamp),
    [SIGNATURE_HEADERS.signature]: sign(secret, delivery),
  };
}

/**
 * Signs a received delivery with another secret and the current time, in milliseconds. Leaves basic
 * deliveries unsigned.
 */
export function withNewSignature<Request extends Signable>(
  request: Request,
  secret: string | undefined,
  now: number,
) {
  const [id] = headerValuesOf(groupHeaders(request.headers), SIGNATURE_HEADERS.id);
  if (id === undefined || secret === undefined) return request;
  const signed = createSignatureHeaders(secret, {
    id,
    timestamp: Math.floor(now / 1000),
    body: request.body,
  });
  const headers = [
    ...withoutHeaders(request.headers, Object.keys(signed)),
    ...Object.entries(signed),
  ];
  return { ...request, headers };
}

/**
 * Checks the signatures and the timestamp; `now` is in milliseconds.
 * @throws SvcError `invalid_input`, without the secret
 */
export function verifySignature(
  secrets: readonly string[],
  delivery: ReceivedDelivery,
  now: number,
): Verification {
  const keys = secrets.map(parseSigningSecret);
  const parts = readSignedParts(delivery.headers);
  if (typeof parts === 'string') return reject(parts);
  const { id, timestamp, signatures } = parts;
  const age = Math.floor(now / 1000) - Number(timestamp);
  if (Math.abs(age) > TIMESTAMP_TOLERANCE) {
    const difference = `${Math.abs(age)} s ${age > 0 ? 'old' : 'in the future'}`;
    return reject(`the timestamp is ${difference}; the maximum is ${TIMESTAMP_TOLERANCE} s`);
  }
  if (!isUtf8(delivery.body)) return reject('the body is not valid UTF-8');
  const expected = keys.map((key) => computeSignature(key, id, timestamp, delivery.body));
  // Compares every pair, so that timing does not reveal which one matches.
  const matches = expected.flatMap((candidate) =>
    signatures.filter((signature) => isSameSecret(signature, candidate)),
  );
  if (matches.length === 0)
    return reject(
      `no signature matches: the secret is different, or the body, ${SIGNED_HEADERS} was modified`,
    );
  return { verified: true, form: 'advanced' };
}

const SIGNED_HEADERS = `${SIGNATURE_HEADERS.id}, or ${SIGNATURE_HEADERS.timestamp}`;

function readSignedParts(headers: Headers) {
  const texts = new Map<string, string>();
  for (const name of Object.values(SIGNATURE_HEADERS)) {
    const values = headerValuesOf(headers, name);
    if (values.length > 1) return `the header ${name} appears ${values.length} times`;
    if (!values[0]) return `the header ${name} is missing`;
    texts.set(name, values[0]);
  }
  const id = texts.get(SIGNATURE_HEADERS.id) ?? '';
  const timestamp = texts.get(SIGNATURE_HEADERS.timestamp) ?? '';
  // Periods separate the signed parts. With a period in the ID, part of the body could pass as the
  // timestamp.
  if (id.includes('.')) return `${SIGNATURE_HEADERS.id} contains a period`;
  if (!/^\d{1,15}$/.test(timestamp))
    return `${SIGNATURE_HEADERS.timestamp} is not a Unix timestamp in seconds`;
  const all = (texts.get(SIGNATURE_HEADERS.signature) ?? '').split(' ');
  const signatures = all.filter((signature) => signature.startsWith('v1,'));
  if (signatures.length === 0) return `${SIGNATURE_HEADERS.signature} contains no v1 signature`;
  return { id, timestamp, signatures };
}

function reject(reason: string): Verification {
  return { verified: false, reason };
}

function computeSignature(
  key: KeyObject,
  id: string,
  timestamp: string,
  body: string | Uint8Array,
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/**
 * Parses base64 of any length, with or without the prefix `whsec_`.
 * @throws SvcError `invalid_input`, without the secret
 */
export function parseSigningSecret(secret: string): KeyObject {
  const encoded = withoutPrefix(secret);
  if (!/^[A-Za-z0-9+/]{2,}={0,2}$/.test(encoded)) {
    throw new SvcError(
      'invalid_input',
      `invalid signing secret: expected ${SECRET_PREFIX} followed by base64`,
      {
        hint: hint`to print an endpoint's secret, run ${stepWithPlaceholder('show', ['webhooks', 'endpoints', 'secret'], '<endpointId> -q')}`,
      },
    );
  }
  return createSecretKey(encoded, 'base64');
}

export interface VerificationSecrets {
  readonly secrets: readonly string[];
  readonly authToken?: string | undefined;
}

/** Verifies the origin of a delivery of either form. `now` is in milliseconds. */
export function verifyDelivery(
  proofs: VerificationSecrets,
  delivery: ReceivedDelivery,
  now: number,
): Verification {
  const { secrets, authToken } = proofs;
  const isSigned = hasSignatureHeaders(delivery.headers);
  if (isSigned && secrets.length > 0) return verifySignature(secrets, delivery, now);
  if (authToken !== undefined) return verifyToken(authToken, delivery);
  return reject(
    isSigned ? 'the delivery is signed, but no secret was given' : 'the delivery is not signed',
  );
}

function verifyToken(authToken: string, { headers }: ReceivedDelivery): Verification {
  const [value, ...others] = headerValuesOf(headers, 'authorization');
  if (value === undefined) return reject('the authorization header is missing');
  if (others.length > 0)
    return reject(`the authorization header appears ${others.length + 1} times`);
  const token = /^basic (.*)$/is.exec(value)?.[1];
  if (token === undefined) return reject('the authorization header does not use the Basic scheme');
  // Node.js decodes header values as Latin-1.
  if (!isSameSecret(token, authToken, 'latin1')) return reject('the token does not match');
  return { verified: true, form: 'basic' };
}

export function hasSignatureHeaders(headers: Headers): boolean {
  return Object.values(SIGNATURE_HEADERS).some((name) => headerValuesOf(headers, name).length > 0);
}

function withoutPrefix(secret: string): string {
  return secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
}

/** Lists the forms in which a receiver may print its signing secret, or another secret. */
export function signingSecretForms(secret: string): readonly string[] {
  const encoded = withoutPrefix(secret);
  return [secret, encoded, Buffer.from(encoded, 'base64').toString('hex')];
}
