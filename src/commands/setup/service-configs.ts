import { INITIAL_EMAIL_SETTINGS } from '../../catalog/email.ts';
import { EMAIL_TRIGGERS, WEBHOOK_TRIGGERS } from '../../catalog/events.ts';
import { INITIAL_WEBHOOK_SETTINGS } from '../../catalog/webhook-config.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { setUpConfig } from './config.ts';

/** Configures email interactively. */
export function setUpEmail(context: Context, invocation: Invocation): Promise<void> {
  return setUpConfig(context, invocation, {
    get: 'email.get',
    update: 'email.update',
    settings: 'emailServiceConfig',
    questions: {
      useEmailService: 'Send email?',
      type: 'Email provider',
      apiKey: 'Provider API key',
      fromEmail: 'Sender address',
      fromCompany: 'Sender name',
      triggers: 'Events that trigger email',
    },
    events: Object.keys(EMAIL_TRIGGERS),
    firstSettings: ({ useEmailService, emailServiceConfig }) =>
      useEmailService === true || Object(emailServiceConfig).type === 'custom' ? INITIAL_EMAIL_SETTINGS : undefined,
  });
}

/** Configures basic webhooks interactively. */
export function setUpWebhookConfig(context: Context, invocation: Invocation): Promise<void> {
  return setUpConfig(context, invocation, {
    get: 'webhooks.config.get',
    update: 'webhooks.config.update',
    settings: 'webhookServiceConfig',
    questions: {
      useWebhookService: 'Deliver events as basic webhooks?',
      authToken: 'Delivery auth token',
      rawNotificationUrl: 'URL for unprocessed events',
      processedNotificationUrl: 'URL for processed events',
      encodeData: 'Encode payloads as base64?',
      encryptData: 'Encrypt payloads with your public key?',
      publicKey: 'RSA public key (file path or base64)',
      enableDataProtection: 'Omit personal data?',
      triggers: 'Events to deliver',
    },
    events: Object.keys(WEBHOOK_TRIGGERS),
    firstSettings: ({ useWebhookService }) => (useWebhookService === true ? INITIAL_WEBHOOK_SETTINGS : undefined),
  });
}
