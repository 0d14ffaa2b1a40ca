import * as z from 'zod/mini';
import { isEmailAddress } from '../kernel/email-address.ts';
import { defineOperation } from './define.ts';
import { EMAIL_TRIGGERS } from './events.ts';
import {
  openChoice,
  requireChange,
  secret,
  serviceSwitch,
  triggers,
  warnAboutUnknownValues,
} from './fields.ts';
import { described } from './metadata.ts';

const PROVIDER_TYPES = ['default', 'custom', 'extprovider'];

const templates = {
  commentTemplateId: described(z.optional(z.string()), 'ID of the template for comments'),
  tagTemplateId: described(z.optional(z.string()), 'ID of the template for mentions'),
};

const emailConfig = z.looseObject({
  useEmailService: z.boolean(),
  emailServiceConfig: z.looseObject({
    type: z.optional(z.string()),
    apiKey: z.optional(secret('API key of the email provider')),
    fromEmail: z.optional(z.string()),
    fromCompany: z.optional(z.string()),
    ...templates,
    triggers: z.optional(z.record(z.string(), z.boolean())),
  }),
});

export const INITIAL_EMAIL_SETTINGS = { type: 'custom', triggers: EMAIL_TRIGGERS } as const;

export const email = {
  'email.get': defineOperation('email.get', {
    summary: 'Show the email configuration',
    path: '/v2/workspace/emailconfig/get',
    effect: 'read',
    input: z.object({}),
    output: emailConfig,
    message: 'Email configuration retrieved successfully.',
    decision:
      'the email configuration always has its type, API key, and sender, which are empty at first',
    isDocumented: false,
    settings: 'read',
    sample: () => ({}),
  }),
  'email.update': defineOperation('email.update', {
    summary: 'Update the email configuration',
    description:
      'Enabling email for the first time enables the standard events. Omitted settings are unchanged.',
    path: '/v2/workspace/emailconfig/update',
    effect: 'set',
    input: requireChange(
      z.object({
        useEmailService: serviceSwitch('enable or disable email'),
        emailServiceConfig: z.optional(
          z.looseObject({
            type: z.optional(
              openChoice(PROVIDER_TYPES, 'email provider type').check(
                z.regex(/^[A-Za-z0-9-]+$/, { error: 'only letters, digits, and - are allowed' }),
              ),
            ),
            apiKey: z.optional(secret('API key of the email provider')),
            fromEmail: described(z.optional(z.string()), 'sender email address'),
            fromCompany: described(z.optional(z.string()), 'sender name'),
            ...templates,
            triggers,
          }),
        ),
      }),
    ),
    output: emailConfig,
    message: 'Email configuration updated successfully.',
    lookup: { operation: 'email.get', inputFields: {} },
    rejectionMessage: () => 'Invalid email service configuration.',
    confirm: ({ useEmailService, emailServiceConfig: { fromEmail = '' } = {} }) => {
      if (useEmailService === false) return 'Disable email?';
      // An empty address removes the stored one.
      if (fromEmail === '' || isEmailAddress(fromEmail)) return undefined;
      return `The sender address '${fromEmail}' is not a valid email address. Save it anyway?`;
    },
    eventTypes: ({ emailServiceConfig }) => Object.keys(emailServiceConfig?.triggers ?? {}),
    warnings: ({ emailServiceConfig }) =>
      warnAboutUnknownValues('provider type', PROVIDER_TYPES, [emailServiceConfig?.type]),
    decision: 'the first enable of webhooks or email adds default triggers',
    settings: { writes: 'config' },
    sample: () => ({
      useEmailService: true,
      emailServiceConfig: {
        type: 'custom',
        apiKey: 'key',
        fromEmail: 'hello@example.com',
        fromCompany: 'Acme',
        commentTemplateId: 'd-1',
        tagTemplateId: 'd-2',
        triggers: { 'comment.add': true },
      },
    }),
  }),
};
