import { randomBytes } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { createDeliveryHeaders, createDeliveryId } from '../delivery.ts';
import { PAYLOAD_BUILDERS } from '../event.ts';
import { SIGNATURE_HEADERS, type WebhookForm } from '../form.ts';
import type { HeaderList } from '../headers.ts';
import { packBody } from '../payload.ts';
import type { OutgoingRequest } from '../post.ts';
import { createSampleEvent } from '../sample.ts';
import { createSigningSecret, type SignedContent } from '../signature.ts';
import type { SendMode } from './send-mode.ts';

export interface SenderConfiguration {
  readonly form: WebhookForm;
  readonly secret?: string | undefined;
  readonly authToken?: string | undefined;
  readonly encryptFor?: string | undefined;
}

export interface DeliveryVariation {
  readonly event?: string;
  readonly id?: string;
  readonly documentName?: string;
  /** The age of the timestamp in seconds. */
  readonly age?: number;
  readonly proof?: 'other secret' | 'none' | 'rotated' | 'other body' | 'bare token';
  readonly encoding?: 'encoded' | 'encrypted';
  readonly serialize?: (payload: object) => string;
  readonly sendMode?: SendMode;
  readonly method?: string;
}

export interface TestDelivery extends Omit<OutgoingRequest, 'url'> {
  readonly id: string;
  readonly event: string;
  readonly sendMode: SendMode;
}

/** Creates a delivery, with a new ID unless the variation specifies one. */
export type CreateTestDelivery = (variation?: DeliveryVariation) => TestDelivery;

export function createDeliveryFactory(
  sender: SenderConfiguration,
  clock: Clock,
): CreateTestDelivery {
  return (variation = {}) => {
    const {
      event = 'comment.add',
      id = createDeliveryId(),
      age = 0,
      encoding,
      sendMode = 'whole',
      method,
    } = variation;
    const now = clock.now();
    const { serialize = JSON.stringify, documentName } = variation;
    const sample = {
      ...createSampleEvent(event, { webhookId: id, now }),
      ...(documentName && { documentName }),
    };
    const packing = {
      encode: encoding === 'encoded',
      encryptFor: encoding === 'encrypted' ? sender.encryptFor : '',
    };
    const body = packBody(serialize(PAYLOAD_BUILDERS[sender.form](sample)), packing);
    const timestamp = Math.floor(now / 1000) - age;
    const headers = createProofHeaders(sender, { id, timestamp, body }, variation.proof);
    return { id, event, headers, body, sendMode, ...(method && { method }) };
  };
}

function createProofHeaders(
  sender: SenderConfiguration,
  { body, ...content }: SignedContent & { readonly body: string },
  proof: DeliveryVariation['proof'],
): HeaderList {
  if (proof === 'none') return createDeliveryHeaders({ ...content, form: sender.form }, body);
  const valid = { ...sender, ...content };
  const foreign = {
    ...valid,
    secret: createSigningSecret(),
    authToken: randomBytes(24).toString('base64url'),
  };
  if (proof === 'other secret') return createDeliveryHeaders(foreign, body);
  if (proof === 'other body') return createDeliveryHeaders(valid, `${body} `);
  const headers = createDeliveryHeaders(valid, body);
  if (proof === 'bare token')
    return headers.map(([name, value]) => [name, value.replace(/^Basic /, '')]);
  return proof === 'rotated'
    ? mergeSignatures(createDeliveryHeaders(foreign, body), headers)
    : headers;
}

/** Joins two signatures in one header, as a sender does for a while after a secret rotation. */
function mergeSignatures(other: HeaderList, own: HeaderList): HeaderList {
  const [, first = ''] = other.find(([name]) => name === SIGNATURE_HEADERS.signature) ?? [];
  return own.map(([name, value]) => [
    name,
    name === SIGNATURE_HEADERS.signature ? `${first} ${value}` : value,
  ]);
}
