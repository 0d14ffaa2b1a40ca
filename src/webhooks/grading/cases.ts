import { createDeliveryId } from '../delivery.ts';
import type { WebhookForm } from '../form.ts';
import { TIMESTAMP_TOLERANCE } from '../signature.ts';
import { CASE_NAMES, type CaseName } from './case-names.ts';
import type { ExpectationName } from './expectations.ts';
import type {
  CreateTestDelivery,
  DeliveryVariation,
  SenderConfiguration,
  TestDelivery,
} from './test-delivery.ts';

export interface ReceiverCase extends CaseDefinition {
  readonly name: CaseName;
}

interface CaseDefinition {
  readonly why: string;
  /** The change to make in a receiver that fails the case. */
  readonly fix: string;
  /** Creates the deliveries, which are sent in sequence. */
  readonly send: (create: CreateTestDelivery) => readonly TestDelivery[];
  readonly expects: ExpectationName;
  /** The only form of deliveries that the case applies to (default: both). */
  readonly form?: WebhookForm;
  readonly skipReason?: (sender: SenderConfiguration) => string | undefined;
}

const MEGABYTE = 1024 * 1024;
const OVERSIZED_BODY = 11 * MEGABYTE;
const STALE_AGE = 2 * TIMESTAMP_TOLERANCE;

const findMissingToken = ({ form, authToken }: SenderConfiguration) =>
  form === 'basic' && authToken === undefined ? 'requires --auth-token-file' : undefined;

/**
 * Creates a function that defines cases with one expectation. Each variation is a delivery that the
 * case sends.
 */
const expecting =
  (expects: ExpectationName) =>
  (
    why: string,
    fix: string,
    variations: readonly DeliveryVariation[],
    rest: Partial<CaseDefinition> = {},
  ): CaseDefinition => ({
    why,
    fix,
    expects,
    send: (create) => variations.map((variation) => create(variation)),
    ...rest,
  });

const accepted = expecting('accepted');
const rejected = expecting('rejected');
const ADVANCED = { form: 'advanced' } as const;
const indented: DeliveryVariation = {
  serialize: (payload) => `${JSON.stringify(payload, null, 2).replaceAll('/', '\\/')}\n`,
};
/** Appends the padding to the text, which is faster than escaping it. */
const oversized: DeliveryVariation = {
  serialize: (payload) =>
    `${JSON.stringify(payload).slice(0, -1)},"padding":"${'x'.repeat(OVERSIZED_BODY)}"}`,
};

const CASE_DEFINITIONS: Readonly<Record<CaseName, CaseDefinition>> = {
  valid: accepted(
    'a delivery exactly as the service sends it',
    'check the path and the method, and that the receiver has the same secret or token',
    [{}],
  ),
  'raw-body': accepted(
    'the signature covers the received bytes, not the parsed and reserialized JSON',
    'verify the raw body, before any JSON parser changes it',
    [indented],
    ADVANCED,
  ),
  'rotated-secret': accepted(
    'after a secret rotation, the header contains several signatures, one of which matches',
    'split webhook-signature at spaces, and accept the delivery if any signature matches',
    [{ proof: 'rotated' }],
    ADVANCED,
  ),
  duplicate: accepted(
    'delivery is at-least-once: accept a duplicate, but do not apply it again',
    'store each webhook-id, and respond with 2xx to one that was already handled',
    [],
    {
      send: (create) => {
        const id = createDeliveryId();
        return [create({ id }), create({ id })];
      },
    },
  ),
  'out-of-order': accepted(
    'a retried delivery can arrive after later ones: a comment is updated before it is added',
    'accept deliveries in any order, and create missing records',
    [{ event: 'comment.update' }, { event: 'comment.add' }],
  ),
  'unknown-event': expecting('accepted or ignored')(
    'new event types can appear at any time: accept unknown ones and ignore them',
    'respond with 2xx to event types that the receiver does not handle',
    [{ event: 'thread.link_copy' }],
  ),
  encoded: accepted(
    'with encodeData, the payload is base64 in encodedPayload',
    'if the body has encodedPayload, decode it from base64 after the verification',
    [{ encoding: 'encoded' }],
  ),
  encrypted: accepted(
    'with encryptData, the payload is encrypted with the public key',
    'if the body has encryptedData, decrypt the key with RSA-OAEP (SHA-256), then the data with AES-256-CBC',
    [{ encoding: 'encrypted' }],
    {
      skipReason: ({ encryptFor }) =>
        encryptFor === undefined ? 'requires --encrypt-for' : undefined,
    },
  ),
  slow: accepted(
    'on a slow network, bytes arrive one by one, even within a multi-byte character',
    'collect the body as bytes, and decode it as text only when it is complete',
    [{ event: 'huddle.create', documentName: 'Einführung 🚀 計画', sendMode: 'byte by byte' }],
  ),
  'wrong-signature': rejected(
    'anyone can sign with a different secret',
    'compute the HMAC with the secret, and reject a signature that differs',
    [{ proof: 'other secret' }],
    ADVANCED,
  ),
  'wrong-token': rejected(
    'anyone can send a different token',
    'compare the whole token, in constant time',
    [{ proof: 'other secret' }],
    {
      form: 'basic',
      skipReason: findMissingToken,
    },
  ),
  'changed-body': rejected(
    'a signature is valid for one body only',
    'include the body in the signed content: webhook-id.webhook-timestamp.body',
    [{ proof: 'other body' }],
    ADVANCED,
  ),
  unsigned: rejected(
    'a delivery without a proof of origin can come from anyone',
    'respond with 401 if the signature or token is missing',
    [{ proof: 'none' }],
    {
      skipReason: findMissingToken,
    },
  ),
  stale: rejected(
    'an attacker can replay a captured delivery later',
    'reject a webhook-timestamp that is more than 5 minutes old',
    [{ age: STALE_AGE }],
    ADVANCED,
  ),
  future: rejected(
    'a timestamp in the future would extend the replay window',
    'reject a webhook-timestamp that is more than 5 minutes ahead',
    [{ age: -STALE_AGE }],
    ADVANCED,
  ),
  cut: expecting('aborted')(
    'connections can break: do not process half a delivery, and do not wait for the rest',
    'handle an aborted request as an error, and set a time limit for reading the body',
    [{ sendMode: 'cut' }],
  ),
  large: expecting('too large')(
    'without a size limit, a sender can exhaust the memory',
    'stop reading after 10 MB, and respond with 413',
    [oversized],
  ),
  get: expecting('not allowed')(
    'deliveries use only POST; other methods come from crawlers and scanners',
    'respond with 405 to every method other than POST',
    [],
    {
      send: (create) => [{ ...create({ proof: 'none', method: 'GET' }), body: '' }],
    },
  ),
  afterwards: accepted(
    'after all other cases, the receiver still works',
    'check the log of the receiver: an earlier case left it in a bad state',
    [{}],
  ),
};

export const RECEIVER_CASES: readonly ReceiverCase[] = CASE_NAMES.map((name) => ({
  name,
  ...CASE_DEFINITIONS[name],
}));
