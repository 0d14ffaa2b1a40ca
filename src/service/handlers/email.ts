import { FIRST_EMAIL_SETTINGS } from '../../catalog/email.ts';
import { hasTriggers, layered, saveConfig, storedConfig } from '../records/configs.ts';
import type { HandlersOf } from './handler.ts';

/** What the e-mail service shows before anything was set; triggers show once they were. */
const UNSET = { type: 'default', apiKey: '', fromEmail: '', fromCompany: '' } as const;

export const email: HandlersOf<'email'> = {
  'email.get': async (call) => {
    const { useEmailService = false, emailServiceConfig = {} } = (await storedConfig(call, 'email')) ?? {};
    return { data: { useEmailService, emailServiceConfig: { ...UNSET, ...emailServiceConfig } } };
  },

  'email.update': async (call, input) => {
    const stored = (await storedConfig(call, 'email')) ?? {};
    const enables = input.useEmailService === true || input.emailServiceConfig?.type === 'custom';
    const seeds = enables && !hasTriggers(stored.emailServiceConfig);
    const useEmailService = input.useEmailService ?? (seeds || (stored.useEmailService ?? false));
    const emailServiceConfig = layered(
      stored.emailServiceConfig,
      seeds ? FIRST_EMAIL_SETTINGS : undefined,
      input.emailServiceConfig,
    );
    await saveConfig(call, 'email', { useEmailService, emailServiceConfig });
    return { data: { useEmailService, emailServiceConfig: { ...UNSET, ...emailServiceConfig } } };
  },
};
