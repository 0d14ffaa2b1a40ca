import { deliveryHeaders, newDeliveryId } from '../../webhooks/delivery.ts';
import { PAYLOADS } from '../../webhooks/event.ts';
import type { Form } from '../../webhooks/form.ts';
import { type Packing, packBody } from '../../webhooks/payload.ts';
import type { Outgoing } from '../../webhooks/post.ts';
import { sampleEvent } from '../../webhooks/sample.ts';

interface SampleDelivery {
  readonly id: string;
  readonly outgoing: Outgoing;
}

/** The form of deliveries that are sent, and what they prove themselves with. */
export interface SenderProof {
  readonly form: Form;
  readonly secret: string | undefined;
  readonly authToken: string | undefined;
}

export interface Sending extends SenderProof {
  readonly packing: Packing;
  /** Makes the payload that is sent of the sample. */
  readonly payload: (sample: unknown) => Promise<unknown>;
}

/** The delivery of a sample of an event, and the id that it carries. */
export async function sampleDelivery(url: URL, event: string, sending: Sending, now: number): Promise<SampleDelivery> {
  const id = newDeliveryId();
  const sample = PAYLOADS[sending.form](sampleEvent(event, { webhookId: id, now }));
  const payload = await sending.payload(JSON.parse(JSON.stringify(sample)));
  const body = packBody(JSON.stringify(payload), sending.packing);
  const headers = deliveryHeaders({ ...sending, id, timestamp: Math.floor(now / 1000) }, body);
  return { id, outgoing: { url, body, headers } };
}
