/** The two webhook forms: basic deliveries carry a token, advanced deliveries are signed. */
export const WEBHOOK_FORMS = ['basic', 'advanced'] as const;
export type WebhookForm = (typeof WEBHOOK_FORMS)[number];
export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;
/** Time limit for a receiver's response, in milliseconds. */
export const RECEIVER_TIMEOUT = 15_000;
