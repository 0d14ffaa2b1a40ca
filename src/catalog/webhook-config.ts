import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { WEBHOOK_TRIGGERS } from './events.ts';
import { optionalUrl, requireChange, secret, serviceSwitch, triggers } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_URL } from './sample-data.ts';

const basicConfig = z.looseObject({
  useWebhookService: z.boolean(),
  webhookServiceConfig: z.looseObject({
    authToken: z.optional(secret('token sent with each delivery')),
    rawNotificationUrl: z.optional(z.string()),
    processedNotificationUrl: z.optional(z.string()),
    encodeData: z.optional(z.boolean()),
    encryptData: z.optional(z.boolean()),
    publicKey: z.optional(z.string()),
    enableDataProtection: z.optional(z.boolean()),
    triggers: z.optional(z.record(z.string(), z.boolean())),
  }),
});

const advancedConfig = z.looseObject({
  isEnabled: z.boolean(),
  encryptData: z.boolean(),
  encodeData: z.boolean(),
  publicKey: z.string(),
  enableDataProtection: z.boolean(),
});

const payload = {
  encodeData: described(z.optional(z.boolean()), 'base64-encode the payload'),
  encryptData: described(z.optional(z.boolean()), 'encrypt the payload with the public key'),
  publicKey: described(z.optional(z.string()), 'RSA public key for encryption'),
};

const enableDataProtection = described(z.optional(z.boolean()), 'omit personal data from payloads');
export const INITIAL_WEBHOOK_SETTINGS = { enableDataProtection: false, triggers: WEBHOOK_TRIGGERS };

const SAMPLE_PAYLOAD = {
  enableDataProtection: true,
  encryptData: false,
  publicKey: 'key',
  encodeData: true,
};

export const webhookConfig = {
  'webhooks.config.get': defineOperation('webhooks.config.get', {
    summary: 'Show the configuration of basic webhooks',
    path: '/v2/workspace/webhookconfig/get',
    effect: 'read',
    input: z.object({}),
    output: basicConfig,
    message: 'Webhook configuration retrieved successfully.',
    decision: 'the webhook configuration always has its first three fields',
    settings: 'read',
    sample: () => ({}),
  }),
  'webhooks.config.update': defineOperation('webhooks.config.update', {
    summary: 'Update the configuration of basic webhooks',
    description:
      'Enabling basic webhooks for the first time enables the standard events. Omitted settings are unchanged.',
    examples: { 'svc webhooks config update --trigger comment.delete=false': 'disable one event' },
    path: '/v2/workspace/webhookconfig/update',
    effect: 'set',
    input: requireChange(
      z.object({
        useWebhookService: serviceSwitch('enable or disable deliveries'),
        webhookServiceConfig: z.optional(
          z.looseObject({
            authToken: z.optional(secret('token sent with each delivery')),
            rawNotificationUrl: optionalUrl('URL for unprocessed events'),
            processedNotificationUrl: optionalUrl('URL for processed events'),
            ...payload,
            enableDataProtection,
            triggers,
          }),
        ),
      }),
    ),
    output: basicConfig,
    message: 'Webhook configuration updated successfully.',
    lookup: { operation: 'webhooks.config.get', inputFields: {} },
    rejectionMessage: () => 'Invalid webhook service configuration.',
    confirm: ({ useWebhookService }) =>
      useWebhookService === false
        ? 'Disable basic webhooks? Deliveries stop immediately.'
        : undefined,
    eventTypes: ({ webhookServiceConfig }) => Object.keys(webhookServiceConfig?.triggers ?? {}),
    decision: 'the first enable of webhooks or email adds default triggers',
    settings: { writes: 'config' },
    sample: () => ({
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: 'token',
        rawNotificationUrl: SAMPLE_URL,
        processedNotificationUrl: SAMPLE_URL,
        ...SAMPLE_PAYLOAD,
        triggers: { 'comment.add': true },
      },
    }),
  }),
  'webhooks.advanced.get': defineOperation('webhooks.advanced.get', {
    summary: 'Show the configuration of advanced webhooks',
    path: '/v2/workspace/advancedwebhookconfig/get',
    effect: 'read',
    feature: 'advanced-webhooks',
    input: z.object({}),
    output: advancedConfig,
    message: 'Advanced webhook configuration retrieved successfully.',
    decision: 'endpoints need advanced webhooks; a used uid is ALREADY_EXISTS',
    settings: 'read',
    sample: () => ({}),
  }),
  'webhooks.advanced.update': defineOperation('webhooks.advanced.update', {
    summary: 'Update the configuration of advanced webhooks',
    path: '/v2/workspace/advancedwebhookconfig/update',
    effect: 'set',
    feature: 'advanced-webhooks',
    input: requireChange(
      z.object({
        isEnabled: serviceSwitch('enable or disable deliveries'),
        ...payload,
        enableDataProtection,
      }),
    ),
    output: advancedConfig,
    message: 'Advanced webhook configuration updated successfully.',
    lookup: { operation: 'webhooks.advanced.get', inputFields: {} },
    confirm: ({ isEnabled }) =>
      isEnabled === false
        ? 'Disable advanced webhooks? Deliveries stop immediately; the endpoints are kept.'
        : undefined,
    decision: 'the first update must enable advanced webhooks',
    isDocumented: false,
    settings: { writes: 'config' },
    sample: () => ({ isEnabled: true, ...SAMPLE_PAYLOAD }),
  }),
};
