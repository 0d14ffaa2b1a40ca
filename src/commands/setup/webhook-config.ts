import { WEBHOOK_TRIGGERS } from '../../catalog/events.ts';
import { FIRST_WEBHOOK_SETTINGS } from '../../catalog/webhook-config.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { setUpConfig } from './config.ts';

/** Configures basic webhooks in a dialogue. */
export function setUpWebhookConfig(context: Context, invocation: Invocation): Promise<void> {
  return setUpConfig(context, invocation, {
    get: 'webhooks.config.get',
    update: 'webhooks.config.update',
    settings: 'webhookServiceConfig',
    questions: {
      useWebhookService: 'Deliver events as basic webhooks?',
      authToken: 'Token that each delivery carries',
      rawNotificationUrl: 'URL for unprocessed events',
      processedNotificationUrl: 'URL for processed events',
      encodeData: 'Encode what is delivered in base64?',
      encryptData: 'Encrypt what is delivered, with a public key of yours?',
      publicKey: 'RSA public key: the path of its file, or its base64',
      enableDataProtection: 'Leave personal data out?',
      triggers: 'Events to deliver',
    },
    events: Object.keys(WEBHOOK_TRIGGERS),
    firstSettings: ({ useWebhookService }) => (useWebhookService === true ? FIRST_WEBHOOK_SETTINGS : undefined),
  });
}
