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
    variations: readonly DeliveryVariation[],
    rest: Partial<CaseDefinition> = {},
  ): CaseDefinition => ({
    why,
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
  valid: accepted('a delivery exactly as the service sends it', [{}]),
  'raw-body': accepted(
    'the signature covers the received bytes, not the parsed and reserialized JSON',
    [indented],
    ADVANCED,
  ),
  'rotated-secret': accepted(
    'after a secret rotation, the header contains several signatures, one of which matches',
    [{ proof: 'rotated' }],
    ADVANCED,
  ),
  duplicate: accepted(
    'delivery is at-least-once: accept a duplicate, but do not apply it again',
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
    [{ event: 'comment.update' }, { event: 'comment.add' }],
  ),
  'unknown-event': expecting('accepted or ignored')(
    'new event types can appear at any time: accept unknown ones and ignore them',
    [{ event: 'thread.link_copy' }],
  ),
  encoded: accepted('with encodeData, the payload is base64 in encodedPayload', [
    { encoding: 'encoded' },
  ]),
  encrypted: accepted(
    'with encryptData, the payload is encrypted with the public key',
    [{ encoding: 'encrypted' }],
    {
      skipReason: ({ encryptFor }) =>
        encryptFor === undefined ? 'requires --encrypt-for' : undefined,
    },
  ),
  slow: accepted('on a slow network, bytes arrive one by one, even within a multi-byte character', [
    { event: 'huddle.create', documentName: 'Einführung 🚀 計画', sendMode: 'byte by byte' },
  ]),
  'wrong-signature': rejected(
    'anyone can sign with a different secret',
    [{ proof: 'other secret' }],
    ADVANCED,
  ),
  'wrong-token': rejected('anyone can send a different token', [{ proof: 'other secret' }], {
    form: 'basic',
    skipReason: findMissingToken,
  }),
  'changed-body': rejected(
    'a signature is valid for one body only',
    [{ proof: 'other body' }],
    ADVANCED,
  ),
  unsigned: rejected(
    'a delivery without a proof of origin can come from anyone',
    [{ proof: 'none' }],
    {
      skipReason: findMissingToken,
    },
  ),
  stale: rejected(
    'an attacker can replay a captured delivery later',
    [{ age: STALE_AGE }],
    ADVANCED,
  ),
  future: rejected(
    'a timestamp in the future would extend the replay window',
    [{ age: -STALE_AGE }],
    ADVANCED,
  ),
  cut: expecting('aborted')(
    'connections can break: do not process half a delivery, and do not wait for the rest',
    [{ sendMode: 'cut' }],
  ),
  large: expecting('too large')('without a size limit, a sender can exhaust the memory', [
    oversized,
  ]),
  get: expecting('not allowed')(
    'deliveries use only POST; other methods come from crawlers and scanners',
    [],
    {
      send: (create) => [{ ...create({ proof: 'none', method: 'GET' }), body: '' }],
    },
  ),
  afterwards: accepted('after all other cases, the receiver still works', [{}]),
};

export const RECEIVER_CASES: readonly ReceiverCase[] = CASE_NAMES.map((name) => ({
  name,
  ...CASE_DEFINITIONS[name],
}));
