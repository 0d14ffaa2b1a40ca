import * as z from 'zod';
import { defineOperation } from './define.ts';
import { unknownEventWarnings, WEBHOOK_TRIGGERS } from './events.ts';
import { httpUrl, secret, serviceSwitch, someGiven, triggers } from './fields.ts';

/** An http(s) URL, or the empty text that unsets it. */
const urlOrNone = (describes: string) =>
  z
    .union([z.literal(''), httpUrl(describes)])
    .optional()
    .describe(describes);

const basicConfig = z.looseObject({
  useWebhookService: z.boolean(),
  webhookServiceConfig: z.looseObject({
    authToken: secret('sent with each delivery').optional(),
    rawNotificationUrl: z.string().optional(),
    processedNotificationUrl: z.string().optional(),
    encodeData: z.boolean().optional(),
    encryptData: z.boolean().optional(),
    publicKey: z.string().optional(),
    enableDataProtection: z.boolean().optional(),
    triggers: z.record(z.string(), z.boolean()).optional(),
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
  encodeData: z.boolean().optional().describe('base64-encode what is delivered'),
  encryptData: z.boolean().optional().describe('encrypt what is delivered with the public key'),
  publicKey: z.string().optional().describe('RSA public key'),
};

const enableDataProtection = z.boolean().optional().describe('leave personal data out');

/** What enabling basic webhooks for the first time sets. */
export const FIRST_WEBHOOK_SETTINGS = { enableDataProtection: false, triggers: WEBHOOK_TRIGGERS };

export const webhookConfig = {
  'webhooks.config.get': defineOperation({
    command: ['webhooks', 'config', 'get'],
    summary: 'Show the configuration of basic webhooks',
    examples: [{ command: 'svc webhooks config get', does: 'its addresses and triggers, the token masked' }],
    path: '/v2/workspace/webhookconfig/get',
    auth: 'key',
    effect: 'read',
    input: z.object({}),
    output: basicConfig,
    message: 'Webhook configuration retrieved successfully.',
  }),
  'webhooks.config.update': defineOperation({
    command: ['webhooks', 'config', 'update'],
    summary: 'Configure basic webhooks',
    description: 'Enabling them for the first time switches the standard events on. What is not given stays as it is.',
    examples: [
      {
        command: 'svc webhooks config update --enable --raw-notification-url https://example.com/hook',
        does: 'send every standard event there',
      },
      { command: 'svc webhooks config update --trigger comment.delete=false', does: 'switch one event off' },
    ],
    path: '/v2/workspace/webhookconfig/update',
    auth: 'key',
    effect: 'set',
    input: someGiven(
      z.object({
        useWebhookService: serviceSwitch('switch deliveries on or off'),
        webhookServiceConfig: z
          .looseObject({
            authToken: secret('sent with each delivery').optional(),
            rawNotificationUrl: urlOrNone('where unprocessed events go'),
            processedNotificationUrl: urlOrNone('where processed events go'),
            ...payload,
            enableDataProtection,
            triggers,
          })
          .optional(),
      }),
    ),
    output: basicConfig,
    message: 'Webhook configuration updated successfully.',
    lookup: { operation: 'webhooks.config.get', by: {} },
    refusal: () => 'Invalid webhook service configuration.',
    confirm: ({ useWebhookService }) =>
      useWebhookService === false ? 'Disable basic webhooks? Deliveries stop at once.' : undefined,
    warnings: ({ webhookServiceConfig }) => unknownEventWarnings(Object.keys(webhookServiceConfig?.triggers ?? {})),
  }),
  'webhooks.advanced.get': defineOperation({
    command: ['webhooks', 'advanced', 'get'],
    summary: 'Show the configuration of advanced webhooks',
    examples: [{ command: 'svc webhooks advanced get', does: 'whether they are on, and how bodies are sent' }],
    path: '/v2/workspace/advancedwebhookconfig/get',
    auth: 'key',
    effect: 'read',
    feature: 'advanced-webhooks',
    input: z.object({}),
    output: advancedConfig,
    message: 'Advanced webhook configuration retrieved successfully.',
  }),
  'webhooks.advanced.update': defineOperation({
    command: ['webhooks', 'advanced', 'update'],
    summary: 'Configure advanced webhooks',
    examples: [{ command: 'svc webhooks advanced update --enable', does: 'switch them on' }],
    path: '/v2/workspace/advancedwebhookconfig/update',
    auth: 'key',
    effect: 'set',
    feature: 'advanced-webhooks',
    input: someGiven(
      z.object({
        isEnabled: serviceSwitch('switch deliveries on or off'),
        ...payload,
        enableDataProtection,
      }),
    ),
    output: advancedConfig,
    message: 'Advanced webhook configuration updated successfully.',
    lookup: { operation: 'webhooks.advanced.get', by: {} },
    confirm: ({ isEnabled }) =>
      isEnabled === false ? 'Disable advanced webhooks? Deliveries stop at once; the endpoints stay.' : undefined,
  }),
};
