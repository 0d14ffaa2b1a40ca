import { randomBytes } from 'node:crypto';
import type { Form } from './form.ts';
import { SIGNATURE_HEADERS } from './form.ts';
import type { HeaderList } from './headers.ts';
import { type SigningSecret, signatureHeaders } from './signature.ts';

/** What a delivery proves itself with, where it does: a signature or a token. `timestamp` is in Unix seconds. */
export interface Proof {
  readonly form: Form;
  readonly id: string;
  readonly timestamp: number;
  readonly secret?: SigningSecret | undefined;
  readonly authToken?: string | undefined;
}

/** The headers of a delivery of this body. */
export function deliveryHeaders({ form, id, timestamp, secret, authToken }: Proof, body: string): HeaderList {
  const type: HeaderList[number] = ['content-type', 'application/json'];
  if (form === 'basic') return authToken === undefined ? [type] : [type, ['authorization', `Basic ${authToken}`]];
  if (secret !== undefined) return [type, ...Object.entries(signatureHeaders(secret, { id, timestamp, body }))];
  return [type, [SIGNATURE_HEADERS.id, id], [SIGNATURE_HEADERS.timestamp, String(timestamp)]];
}

/** An id for a delivery that no service has made. */
export function newDeliveryId(): string {
  return `msg_${randomBytes(12).toString('hex')}`;
}
