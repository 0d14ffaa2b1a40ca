import { randomBytes } from 'node:crypto';
import { SIGNATURE_HEADERS, type WebhookForm } from './form.ts';
import type { HeaderList } from './headers.ts';
import { createSignatureHeaders, type SigningSecret } from './signature.ts';

/**
 * The proof of origin of a delivery: a signature, a token, or none. `timestamp` is in Unix seconds.
 */
export interface DeliveryProof {
  readonly form: WebhookForm;
  readonly id: string;
  readonly timestamp: number;
  readonly secret?: SigningSecret | undefined;
  readonly authToken?: string | undefined;
}

export function createDeliveryHeaders(proof: DeliveryProof, body: string): HeaderList {
  const { form, id, timestamp, secret, authToken } = proof;
  const type: HeaderList[number] = ['content-type', 'application/json'];
  if (form === 'basic')
    return authToken === undefined ? [type] : [type, ['authorization', `Basic ${authToken}`]];
  if (secret !== undefined)
    return [type, ...Object.entries(createSignatureHeaders(secret, { id, timestamp, body }))];
  return [type, [SIGNATURE_HEADERS.id, id], [SIGNATURE_HEADERS.timestamp, String(timestamp)]];
}

export function createDeliveryId(): string {
  return `msg_${randomBytes(12).toString('hex')}`;
}
