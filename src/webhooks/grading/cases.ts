import { newDeliveryId } from '../delivery.ts';
import { FORMS, type Form } from '../form.ts';
import { TOLERANCE } from '../signature.ts';
import { CASE_NAMES, type CaseName } from './case-names.ts';
import type { Expected } from './expectations.ts';
import type { Kit, Means, Shipment } from './kit.ts';

/** Something that happens to a receiver sooner or later, by accident or by intent. */
export interface Case extends Meeting {
  readonly name: CaseName;
}

interface Meeting {
  /** Why a receiver has to stand it. */
  readonly why: string;
  /** Sent one after the other. */
  readonly send: (make: Kit) => readonly Shipment[];
  readonly expects: Expected;
  readonly forms: readonly Form[];
  /** Why it cannot be tried with these means, where it cannot. */
  readonly lacks?: (means: Means) => string | undefined;
}

const MEGABYTE = 1024 * 1024;
/** More than the largest delivery has. */
const LARGE = 11 * MEGABYTE;
const OUT_OF_TIME = 2 * TOLERANCE;

const noProof = ({ form, authToken }: Means) =>
  form === 'basic' && authToken === undefined ? 'without --auth-token-file nothing is proved' : undefined;

const MEETINGS: Readonly<Record<CaseName, Meeting>> = {
  valid: {
    why: 'a delivery as the service sends it',
    send: (make) => [make()],
    expects: 'taken',
    forms: FORMS,
  },
  'raw-body': {
    why: 'the same JSON can be written in many ways; what is signed is the bytes that came',
    send: (make) => [make({ json: (payload) => `${JSON.stringify(payload, null, 2).replaceAll('/', '\\/')}\n` })],
    expects: 'taken',
    forms: ['advanced'],
  },
  'rotated-secret': {
    why: 'after a change of secret the signature header holds several, of which one fits',
    send: (make) => [make({ proof: 'rotated' })],
    expects: 'taken',
    forms: ['advanced'],
  },
  duplicate: {
    why: 'deliveries come at least once: what came before is taken again, and not applied again',
    send: (make) => {
      const id = newDeliveryId();
      return [make({ id }), make({ id })];
    },
    expects: 'taken',
    forms: FORMS,
  },
  'out-of-order': {
    why: 'a delivery that failed comes again after later ones: a comment changes before it was added',
    send: (make) => [make({ event: 'comment.update' }), make({ event: 'comment.add' })],
    expects: 'taken',
    forms: FORMS,
  },
  'unknown-event': {
    why: 'the set of event types is open: what is not known is taken and left alone',
    send: (make) => [make({ event: 'thread.link_copy' })],
    expects: 'let pass',
    forms: FORMS,
  },
  encoded: {
    why: 'with encodeData the payload comes as base64 in encodedPayload',
    send: (make) => [make({ packing: 'encoded' })],
    expects: 'taken',
    forms: FORMS,
  },
  encrypted: {
    why: 'with encryptData the payload comes encrypted for the public key',
    send: (make) => [make({ packing: 'encrypted' })],
    expects: 'taken',
    forms: FORMS,
    lacks: ({ encryptFor }) => (encryptFor === undefined ? "--encrypt-for names the receiver's public key" : undefined),
  },
  slow: {
    why: 'over a bad line every byte comes by itself, those of one letter too',
    send: (make) => [make({ event: 'huddle.create', documentName: 'Einführung 🚀 計画', manner: 'byte by byte' })],
    expects: 'taken',
    forms: FORMS,
  },
  'wrong-signature': {
    why: 'anyone can sign with a secret of their own',
    send: (make) => [make({ proof: 'foreign' })],
    expects: 'refused',
    forms: ['advanced'],
  },
  'wrong-token': {
    why: 'anyone can send a token',
    send: (make) => [make({ proof: 'foreign' })],
    expects: 'refused',
    forms: ['basic'],
    lacks: noProof,
  },
  'changed-body': {
    why: 'a signature is good for one body only',
    send: (make) => [make({ proof: 'of another body' })],
    expects: 'refused',
    forms: ['advanced'],
  },
  unsigned: {
    why: 'what proves nothing is from anyone',
    send: (make) => [make({ proof: 'none' })],
    expects: 'refused',
    forms: FORMS,
    lacks: noProof,
  },
  stale: {
    why: 'a delivery that was listened to can be sent again at any later time',
    send: (make) => [make({ age: OUT_OF_TIME })],
    expects: 'refused',
    forms: ['advanced'],
  },
  future: {
    why: 'a timestamp ahead of time would be good for longer than it should',
    send: (make) => [make({ age: -OUT_OF_TIME })],
    expects: 'refused',
    forms: ['advanced'],
  },
  cut: {
    why: 'connections end in the middle: half a delivery is none, and waiting for the rest holds up others',
    send: (make) => [make({ manner: 'cut' })],
    expects: 'given up',
    forms: FORMS,
  },
  large: {
    why: 'whoever may send without end can fill the memory',
    send: (make) => [make({ json: (payload) => JSON.stringify({ ...payload, padding: 'x'.repeat(LARGE) }) })],
    expects: 'too long',
    forms: FORMS,
  },
  get: {
    why: 'only POST delivers; search engines and scanners do anything else',
    send: (make) => [{ ...make({ proof: 'none', method: 'GET' }), body: '' }],
    expects: 'not allowed',
    forms: FORMS,
  },
  afterwards: {
    why: 'after all of this it still does its work',
    send: (make) => [make()],
    expects: 'taken',
    forms: FORMS,
  },
};

export const CASES: readonly Case[] = CASE_NAMES.map((name) => ({ name, ...MEETINGS[name] }));
