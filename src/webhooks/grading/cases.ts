import { createDeliveryId } from '../delivery.ts';
import type { WebhookForm } from '../form.ts';
import { TIMESTAMP_TOLERANCE } from '../signature.ts';
import { CASE_NAMES, type CaseName } from './case-names.ts';
import type { ExpectationName } from './expectations.ts';
import type { CreateTestDelivery, SenderConfiguration, TestDelivery } from './test-delivery.ts';

/** A test case: a situation that receivers face in production, by accident or through an attack. */
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

const CASE_DEFINITIONS: Readonly<Record<CaseName, CaseDefinition>> = {
  valid: {
    why: 'a delivery exactly as the service sends it',
    send: (create) => [create()],
    expects: 'accepted',
  },
  'raw-body': {
    why: 'the signature covers the received bytes, not the parsed and reserialized JSON',
    send: (create) => [
      create({ serialize: (payload) => `${JSON.stringify(payload, null, 2).replaceAll('/', '\\/')}\n` }),
    ],
    expects: 'accepted',
    form: 'advanced',
  },
  'rotated-secret': {
    why: 'after a secret rotation, the header contains several signatures, one of which matches',
    send: (create) => [create({ proof: 'rotated' })],
    expects: 'accepted',
    form: 'advanced',
  },
  duplicate: {
    why: 'delivery is at-least-once: accept a duplicate, but do not apply it again',
    send: (create) => {
      const id = createDeliveryId();
      return [create({ id }), create({ id })];
    },
    expects: 'accepted',
  },
  'out-of-order': {
    why: 'a retried delivery can arrive after later ones: a comment is updated before it is added',
    send: (create) => [create({ event: 'comment.update' }), create({ event: 'comment.add' })],
    expects: 'accepted',
  },
  'unknown-event': {
    why: 'new event types can appear at any time: accept unknown ones and ignore them',
    send: (create) => [create({ event: 'thread.link_copy' })],
    expects: 'accepted or ignored',
  },
  encoded: {
    why: 'with encodeData, the payload is base64 in encodedPayload',
    send: (create) => [create({ encoding: 'encoded' })],
    expects: 'accepted',
  },
  encrypted: {
    why: 'with encryptData, the payload is encrypted with the public key',
    send: (create) => [create({ encoding: 'encrypted' })],
    expects: 'accepted',
    skipReason: ({ encryptFor }) => (encryptFor === undefined ? 'requires --encrypt-for' : undefined),
  },
  slow: {
    why: 'on a slow network, bytes arrive one by one, even within a multi-byte character',
    send: (create) => [
      create({ event: 'huddle.create', documentName: 'Einführung 🚀 計画', sendMode: 'byte by byte' }),
    ],
    expects: 'accepted',
  },
  'wrong-signature': {
    why: 'anyone can sign with a different secret',
    send: (create) => [create({ proof: 'other secret' })],
    expects: 'rejected',
    form: 'advanced',
  },
  'wrong-token': {
    why: 'anyone can send a different token',
    send: (create) => [create({ proof: 'other secret' })],
    expects: 'rejected',
    form: 'basic',
    skipReason: findMissingToken,
  },
  'changed-body': {
    why: 'a signature is valid for one body only',
    send: (create) => [create({ proof: 'other body' })],
    expects: 'rejected',
    form: 'advanced',
  },
  unsigned: {
    why: 'a delivery without a proof of origin can come from anyone',
    send: (create) => [create({ proof: 'none' })],
    expects: 'rejected',
    skipReason: findMissingToken,
  },
  stale: {
    why: 'an attacker can replay a captured delivery later',
    send: (create) => [create({ age: STALE_AGE })],
    expects: 'rejected',
    form: 'advanced',
  },
  future: {
    why: 'a timestamp in the future would extend the replay window',
    send: (create) => [create({ age: -STALE_AGE })],
    expects: 'rejected',
    form: 'advanced',
  },
  cut: {
    why: 'connections can break: do not process half a delivery, and do not wait for the rest',
    send: (create) => [create({ sendMode: 'cut' })],
    expects: 'aborted',
  },
  large: {
    why: 'without a size limit, a sender can exhaust the memory',
    send: (create) => [
      create({ serialize: (payload) => JSON.stringify({ ...payload, padding: 'x'.repeat(OVERSIZED_BODY) }) }),
    ],
    expects: 'too large',
  },
  get: {
    why: 'deliveries use only POST; other methods come from crawlers and scanners',
    send: (create) => [{ ...create({ proof: 'none', method: 'GET' }), body: '' }],
    expects: 'not allowed',
  },
  afterwards: {
    why: 'after all other cases, the receiver still works',
    send: (create) => [create()],
    expects: 'accepted',
  },
};

export const RECEIVER_CASES: readonly ReceiverCase[] = CASE_NAMES.map((name) => ({ name, ...CASE_DEFINITIONS[name] }));
