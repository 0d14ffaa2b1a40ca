import * as z from 'zod';
import { defineOperation } from './define.ts';
import { EMAIL_TRIGGERS, unknownEventWarnings } from './events.ts';
import { secret, serviceSwitch, someGiven, triggers } from './fields.ts';

const emailConfig = z.looseObject({
  useEmailService: z.boolean(),
  emailServiceConfig: z.looseObject({
    type: z.string().optional(),
    apiKey: secret('key of the e-mail provider').optional(),
    fromEmail: z.string().optional(),
    fromCompany: z.string().optional(),
    triggers: z.record(z.string(), z.boolean()).optional(),
  }),
});

/** What enabling the e-mail service for the first time sets. */
export const FIRST_EMAIL_SETTINGS = { type: 'custom', triggers: EMAIL_TRIGGERS } as const;

export const email = {
  'email.get': defineOperation({
    command: ['email', 'get'],
    summary: 'Show the configuration of e-mail',
    examples: [{ command: 'svc email get -o yaml', does: 'its settings, the API key masked' }],
    path: '/v2/workspace/emailconfig/get',
    auth: 'key',
    effect: 'read',
    input: z.object({}),
    output: emailConfig,
    message: 'Email configuration retrieved successfully.',
  }),
  'email.update': defineOperation({
    command: ['email', 'update'],
    summary: 'Configure e-mail',
    description: 'Enabling it for the first time switches the standard events on. What is not given stays as it is.',
    examples: [
      {
        command: 'svc email update --enable --from-email hello@example.com --from-company Acme',
        does: 'send e-mail for the standard events',
      },
    ],
    path: '/v2/workspace/emailconfig/update',
    auth: 'key',
    effect: 'set',
    input: someGiven(
      z.object({
        useEmailService: serviceSwitch('switch e-mail on or off'),
        emailServiceConfig: z
          .looseObject({
            type: z.enum(['default', 'custom', 'extprovider']).optional().describe('who sends'),
            apiKey: secret('key of the e-mail provider').optional(),
            fromEmail: z.string().optional().describe('sender address'),
            fromCompany: z.string().optional().describe('sender name'),
            triggers,
          })
          .optional(),
      }),
    ),
    output: emailConfig,
    message: 'Email configuration updated successfully.',
    lookup: { operation: 'email.get', by: {} },
    refusal: () => 'Invalid email service configuration.',
    confirm: ({ useEmailService }) => (useEmailService === false ? 'Disable e-mail?' : undefined),
    warnings: ({ emailServiceConfig }) => unknownEventWarnings(Object.keys(emailServiceConfig?.triggers ?? {})),
  }),
};
