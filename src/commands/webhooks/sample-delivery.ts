import { createDeliveryHeaders, createDeliveryId } from '../../webhooks/delivery.ts';
import { PAYLOAD_BUILDERS } from '../../webhooks/event.ts';
import type { WebhookForm } from '../../webhooks/form.ts';
import { type PackOptions, packBody } from '../../webhooks/payload.ts';
import { createSampleEvent } from '../../webhooks/sample.ts';

export interface SenderCredentials {
  readonly form: WebhookForm;
  readonly secret: string | undefined;
  readonly authToken: string | undefined;
}

export interface SampleDeliveryOptions extends SenderCredentials {
  readonly packing: PackOptions;
  readonly payload: (sample: unknown) => Promise<unknown>;
}

export async function createSampleDelivery(
  url: URL,
  event: string,
  options: SampleDeliveryOptions,
  now: number,
) {
  const id = createDeliveryId();
  const sample = PAYLOAD_BUILDERS[options.form](createSampleEvent(event, { webhookId: id, now }));
  const payload = await options.payload(JSON.parse(JSON.stringify(sample)));
  const body = packBody(JSON.stringify(payload), options.packing);
  const headers = createDeliveryHeaders(
    { ...options, id, timestamp: Math.floor(now / 1000) },
    body,
  );
  return { id, outgoing: { url, body, headers } };
}
