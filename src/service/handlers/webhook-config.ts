import { INITIAL_WEBHOOK_SETTINGS } from '../../catalog/webhook-config.ts';
import type { KeyCall } from '../calls/call.ts';
import { stopEndpointDeliveries, stopLane } from '../deliveries/stop.ts';
import { BASIC_FORMS, basicLane } from '../deliveries/subscriptions.ts';
import {
  advancedWebhooksNotConfigured,
  findConfig,
  hasTriggers,
  mergeSettings,
  saveConfig,
} from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

const BASIC_DEFAULTS = { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' };

const ADVANCED_DEFAULTS = {
  isEnabled: false,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};

export const webhookConfig: HandlersOf<'webhook-config'> = {
  'webhooks.config.get': async (call) => {
    const { useWebhookService = false, webhookServiceConfig = {} } =
      (await findConfig(call, 'webhooks')) ?? {};
    return {
      data: {
        useWebhookService,
        webhookServiceConfig: { ...BASIC_DEFAULTS, ...webhookServiceConfig },
      },
    };
  },

  'webhooks.config.update': async (call, input) => {
    const stored = (await findConfig(call, 'webhooks')) ?? {};
    const needsDefaults =
      input.useWebhookService === true && !hasTriggers(stored.webhookServiceConfig);
    const useWebhookService = input.useWebhookService ?? stored.useWebhookService ?? false;
    const webhookServiceConfig = mergeSettings(
      stored.webhookServiceConfig,
      needsDefaults ? INITIAL_WEBHOOK_SETTINGS : undefined,
      input.webhookServiceConfig,
    );
    await saveConfig(call, 'webhooks', { useWebhookService, webhookServiceConfig });
    await stopBasicDeliveries(call, { useWebhookService, webhookServiceConfig });
    return {
      data: {
        useWebhookService,
        webhookServiceConfig: { ...BASIC_DEFAULTS, ...webhookServiceConfig },
      },
    };
  },

  'webhooks.advanced.get': async (call) => ({
    data: Object.assign({ ...ADVANCED_DEFAULTS }, await findConfig(call, 'advanced-webhooks')),
  }),

  'webhooks.advanced.update': async (call, input) => {
    const stored = await findConfig(call, 'advanced-webhooks');
    if (!stored && !input.isEnabled) throw advancedWebhooksNotConfigured();
    const config = Object.assign({ ...ADVANCED_DEFAULTS }, stored, input);
    await saveConfig(call, 'advanced-webhooks', config);
    if (!config.isEnabled) await stopEndpointDeliveries(call, 'advanced webhooks were disabled');
    return { data: config };
  },
};

type BasicSettings = Parameters<typeof saveConfig<'webhooks'>>[2];

async function stopBasicDeliveries(
  call: KeyCall,
  { useWebhookService, webhookServiceConfig = {} }: BasicSettings,
) {
  for (const form of BASIC_FORMS) {
    const url = webhookServiceConfig[`${form}NotificationUrl`];
    const reason = useWebhookService
      ? `${form}NotificationUrl was removed`
      : 'basic webhooks were disabled';
    if (!useWebhookService || !url)
      await stopLane(call.database, basicLane(form, call.apiKey), reason, call.now);
  }
}
