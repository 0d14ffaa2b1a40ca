import { FIRST_WEBHOOK_SETTINGS } from '../../catalog/webhook-config.ts';
import type { KeyCall } from '../call.ts';
import { BASIC_FORMS, basicLane } from '../deliveries/audience.ts';
import { stopEndpoints, stopLane } from '../deliveries/stop.ts';
import { notConfigured } from '../records/advanced-webhooks.ts';
import { hasTriggers, layered, saveConfig, storedConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

/** What basic webhooks show before anything was set; the other settings show once they were. */
const BASIC = { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' };

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
      seeds ? FIRST_WEBHOOK_SETTINGS : undefined,
      input.webhookServiceConfig,
    );
    await saveConfig(call, 'webhooks', { useWebhookService, webhookServiceConfig });
    await stopBasic(call, { useWebhookService, webhookServiceConfig });
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
    if (!config.isEnabled) await stopEndpoints(call, 'advanced webhooks were disabled');
    return { data: config };
  },
};

type Settings = Parameters<typeof saveConfig<'webhooks'>>[2];

/** Stops the deliveries to what is switched off, or has no URL any more. */
async function stopBasic(call: KeyCall, { useWebhookService, webhookServiceConfig = {} }: Settings): Promise<void> {
  for (const form of BASIC_FORMS) {
    const url = webhookServiceConfig[`${form}NotificationUrl`];
    const reason = useWebhookService ? `${form}NotificationUrl was unset` : 'basic webhooks were disabled';
    if (!useWebhookService || !url) await stopLane(call.database, basicLane(form, call.apiKey), reason, call.now);
  }
}
