import { INITIAL_EMAIL_SETTINGS } from '../../catalog/email.ts';
import { findConfig, hasTriggers, mergeSettings, saveConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

const DEFAULTS = { type: 'default', apiKey: '', fromEmail: '', fromCompany: '' } as const;

export const email: HandlersOf<'email'> = {
  'email.get': async (call) => {
    const { useEmailService = false, emailServiceConfig = {} } =
      (await findConfig(call, 'email')) ?? {};
    return {
      data: { useEmailService, emailServiceConfig: { ...DEFAULTS, ...emailServiceConfig } },
    };
  },

  'email.update': async (call, input) => {
    const stored = (await findConfig(call, 'email')) ?? {};
    const isEnabling =
      input.useEmailService === true || input.emailServiceConfig?.type === 'custom';
    const needsDefaults = isEnabling && !hasTriggers(stored.emailServiceConfig);
    const useEmailService =
      input.useEmailService ?? (needsDefaults || (stored.useEmailService ?? false));
    const emailServiceConfig = mergeSettings(
      stored.emailServiceConfig,
      needsDefaults ? INITIAL_EMAIL_SETTINGS : undefined,
      input.emailServiceConfig,
    );
    await saveConfig(call, 'email', { useEmailService, emailServiceConfig });
    return {
      data: { useEmailService, emailServiceConfig: { ...DEFAULTS, ...emailServiceConfig } },
    };
  },
};
