import { INITIAL_EMAIL_SETTINGS } from '../../catalog/email.ts';
import { EMAIL_TRIGGERS } from '../../catalog/events.ts';
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
