import type { CommandDefinition } from '../definition.ts';

const AS_FLAGS = 'What is given as a flag is not asked. ACCESSIBLE=1 asks in plain, numbered lines.';

/** The dialogues: each asks for what the flags of an operation don't say, shows what it would do, and does it. */
export const SETUP_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['webhooks', 'setup'],
    summary: 'Make an endpoint of advanced webhooks in a dialogue',
    description: `Asks where deliveries go and which, shows the request and the command that does the same, creates the endpoint, and shows its signing secret with how to verify deliveries. Nothing is written before the last question. ${AS_FLAGS}`,
    examples: [
      { command: 'svc webhooks setup', does: 'asks for everything' },
      { command: 'svc webhooks setup --url https://example.com/hook', does: 'asks for the rest' },
    ],
    flagsOf: 'webhooks.endpoints.create',
    load: async () => (await import('./endpoint.ts')).setUpEndpoint,
  },
  {
    command: ['webhooks', 'config', 'setup'],
    summary: 'Configure basic webhooks in a dialogue',
    description: `Asks for each setting, shows what would change, and changes only that. ${AS_FLAGS}`,
    examples: [{ command: 'svc webhooks config setup', does: 'go through its settings' }],
    flagsOf: 'webhooks.config.update',
    load: async () => (await import('./webhook-config.ts')).setUpWebhookConfig,
  },
  {
    command: ['email', 'setup'],
    summary: 'Configure e-mail in a dialogue',
    description: `Asks for each setting, shows what would change, and changes only that. ${AS_FLAGS}`,
    examples: [{ command: 'svc email setup --from-company Acme', does: 'asks for the rest' }],
    flagsOf: 'email.update',
    load: async () => (await import('./email.ts')).setUpEmail,
  },
];
