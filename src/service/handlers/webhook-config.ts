import { WEBHOOK_TRIGGERS } from '../../catalog/events.ts';
import { notConfigured } from '../records/advanced-webhooks.ts';
import { hasTriggers, layered, saveConfig, storedConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

/** What basic webhooks show before anything was set; the other settings show once they were. */
const BASIC = { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' };

/** What enabling basic webhooks for the first time sets. */
const FIRST_SETTINGS = { enableDataProtection: false, triggers: WEBHOOK_TRIGGERS };

const ADVANCED = {
  isEnabled: false,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};

export const webhookConfig: HandlersOf<'webhook-config'> = {
  'webhooks.config.get': async (call) => {
    const { useWebhookService = false, webhookServiceConfig = {} } = (await storedConfig(call, 'webhooks')) ?? {};
    return { data: { useWebhookService, webhookServiceConfig: { ...BASIC, ...webhookServiceConfig } } };
  },

  'webhooks.config.update': async (call, input) => {
    const stored = (await storedConfig(call, 'webhooks')) ?? {};
    const seeds = input.useWebhookService === true && !hasTriggers(stored.webhookServiceConfig);
    const useWebhookService = input.useWebhookService ?? stored.useWebhookService ?? false;
    const webhookServiceConfig = layered(
      stored.webhookServiceConfig,
      seeds ? FIRST_SETTINGS : undefined,
      input.webhookServiceConfig,
    );
    await saveConfig(call, 'webhooks', { useWebhookService, webhookServiceConfig });
    return { data: { useWebhookService, webhookServiceConfig: { ...BASIC, ...webhookServiceConfig } } };
  },

  'webhooks.advanced.get': async (call) => ({
    data: Object.assign({ ...ADVANCED }, await storedConfig(call, 'advanced-webhooks')),
  }),

  'webhooks.advanced.update': async (call, input) => {
    const stored = await storedConfig(call, 'advanced-webhooks');
    if (!stored && !input.isEnabled) throw notConfigured();
    const config = Object.assign({ ...ADVANCED }, stored, input);
    await saveConfig(call, 'advanced-webhooks', config);
    return { data: config };
  },
};
