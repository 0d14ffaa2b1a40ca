import { isUtf8 } from 'node:buffer';
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SvcError } from '../kernel/errors.ts';
import { hint, template } from '../kernel/hint.ts';
import { isSameSecret } from '../kernel/same-secret.ts';
import { SIGNATURE_HEADERS } from './form.ts';
import { type Headers, headerValues } from './headers.ts';

/** A secret as it is written, or for those who sign often the key that it is: to make that costs more than to sign. */
export type SigningSecret = string | KeyObject;

/** What a signature is about. `timestamp` is in Unix seconds; the id holds no full stop. */
export interface Delivery {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

/** A delivery as it came in: the bytes of its body untouched. */
export interface ReceivedDelivery {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

export type Verdict =
  | { readonly verified: true; readonly id: string; readonly timestamp: number }
  | { readonly verified: false; readonly reason: string };

/** Seconds that a delivery's timestamp may lie from now, before and after. */
export const TOLERANCE = 5 * 60;

const SECRET_PREFIX = 'whsec_';

/** A key that deliveries are signed with: 24 random bytes, as Standard Webhooks writes it. */
export function newSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(24).toString('base64')}`;
}

/**
 * The signature of a delivery, `v1,<base64>`, as Standard Webhooks describes it.
 * @throws SvcError `bad_data` for what is no signing secret, without repeating it
 */
export function sign(secret: SigningSecret, { id, timestamp, body }: Delivery): string {
  return signed(typeof secret === 'string' ? signingKey(secret) : secret, id, String(timestamp), body);
}

/** The three headers that a signed delivery carries. */
export function signatureHeaders(secret: SigningSecret, delivery: Delivery): Readonly<Record<string, string>> {
  return {
    [SIGNATURE_HEADERS.id]: delivery.id,
    [SIGNATURE_HEADERS.timestamp]: String(delivery.timestamp),
    [SIGNATURE_HEADERS.signature]: sign(secret, delivery),
  };
}

/**
 * Whether one of the secrets signed the delivery, and its time is near `now` (milliseconds). The bytes are verified as
 * they came, the headers too: a timestamp written in another way is another delivery.
 * @throws SvcError `bad_data` for what is no signing secret, without repeating it
 */
export function verifySignature(secrets: readonly string[], delivery: ReceivedDelivery, now: number): Verdict {
  const keys = secrets.map(signingKey);
  const found = signedParts(delivery.headers);
  if (typeof found === 'string') return refused(found);
  const { id, timestamp, signatures } = found;
  const late = Math.floor(now / 1000) - Number(timestamp);
  if (Math.abs(late) > TOLERANCE) return refused(outOfTime(late));
  if (!isUtf8(delivery.body)) return refused('the body is not valid UTF-8');
  const expected = keys.map((key) => signed(key, id, timestamp, delivery.body));
  // Every pair is compared, so that the time taken does not tell which one fits.
  const matches = expected.flatMap((one) => signatures.filter((given) => isSameSecret(given, one)));
  if (matches.length === 0) {
    return refused(`no signature matches: another secret signed it, or the body, ${SIGNED_HEADERS} was changed`);
  }
  return { verified: true, id, timestamp: Number(timestamp) };
}

const SIGNED_HEADERS = `${SIGNATURE_HEADERS.id} or ${SIGNATURE_HEADERS.timestamp}`;

interface SignedParts {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

/** What the headers say, or what is wrong with them. */
function signedParts(headers: Headers): SignedParts | string {
  const texts = new Map<string, string>();
  for (const name of Object.values(SIGNATURE_HEADERS)) {
    const values = headerValues(headers, name);
    if (values.length > 1) return `there are ${values.length} headers ${name}`;
    if (!values[0]) return `the header ${name} is missing`;
    texts.set(name, values[0]);
  }
  const id = texts.get(SIGNATURE_HEADERS.id) ?? '';
  const timestamp = texts.get(SIGNATURE_HEADERS.timestamp) ?? '';
  // The full stop separates what is signed: with one in the id, a part of the body could pass for the timestamp.
  if (id.includes('.')) return `${SIGNATURE_HEADERS.id} holds a full stop`;
  if (!/^\d{1,15}$/.test(timestamp)) return `${SIGNATURE_HEADERS.timestamp} is not a number of Unix seconds`;
  const all = (texts.get(SIGNATURE_HEADERS.signature) ?? '').split(' ');
  const signatures = all.filter((signature) => signature.startsWith('v1,'));
  if (signatures.length === 0) return `${SIGNATURE_HEADERS.signature} holds no v1 signature`;
  return { id, timestamp, signatures };
}

function refused(reason: string): Verdict {
  return { verified: false, reason };
}

function outOfTime(late: number): string {
  const [span, direction] = [Math.abs(late), late > 0 ? 'old' : 'ahead of time'];
  return `the timestamp is ${span} s ${direction}; ${TOLERANCE} s are allowed`;
}

function signed(key: KeyObject, id: string, timestamp: string, body: string | Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/**
 * The key that a secret is: base64, with `whsec_` before it or without, of any length.
 * @throws SvcError `bad_data` for anything else, without repeating it
 */
export function signingKey(secret: string): KeyObject {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  if (!/^[A-Za-z0-9+/]{2,}={0,2}$/.test(encoded)) {
    throw new SvcError('bad_data', `a signing secret is ${SECRET_PREFIX} and base64 behind it; this one is not`, {
      hint: hint`${template('show', ['webhooks', 'endpoints', 'secret'], '<endpointId> -q')} prints the secret of an endpoint`,
    });
  }
  return createSecretKey(encoded, 'base64');
}
