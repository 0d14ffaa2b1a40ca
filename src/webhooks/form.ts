/** The two forms of a delivery: of basic webhooks, with a token; of advanced ones, signed. */
export const FORMS = ['basic', 'advanced'] as const;
export type Form = (typeof FORMS)[number];

/** The headers of Standard Webhooks. */
export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/** Milliseconds that senders wait for a receiver. */
export const RECEIVER_TIME = 15_000;
