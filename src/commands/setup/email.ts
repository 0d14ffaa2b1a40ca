import { FIRST_EMAIL_SETTINGS } from '../../catalog/email.ts';
import { EMAIL_TRIGGERS } from '../../catalog/events.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { setUpConfig } from './config.ts';

/** Configures e-mail in a dialogue. */
export function setUpEmail(context: Context, invocation: Invocation): Promise<void> {
  return setUpConfig(context, invocation, {
    get: 'email.get',
    update: 'email.update',
    settings: 'emailServiceConfig',
    questions: {
      useEmailService: 'Send e-mail?',
      type: 'Who sends it',
      apiKey: 'API key of the e-mail provider',
      fromEmail: 'Sender address',
      fromCompany: 'Sender name',
      triggers: 'Events that e-mail is sent for',
    },
    events: Object.keys(EMAIL_TRIGGERS),
    firstSettings: ({ useEmailService, emailServiceConfig }) =>
      useEmailService === true || Object(emailServiceConfig).type === 'custom' ? FIRST_EMAIL_SETTINGS : undefined,
  });
}
