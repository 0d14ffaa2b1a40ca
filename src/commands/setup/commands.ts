import type { CommandDefinition } from '../definition.ts';

const AS_FLAGS = 'Values given as flags are not prompted for. ACCESSIBLE=1 uses plain, numbered prompts.';

/** Interactive commands. Each prompts for the values that flags do not provide, shows the changes, and applies them. */
export const SETUP_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['webhooks', 'setup'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Create an advanced webhook endpoint interactively',
    description: `Prompts for the URL and events, shows the request and the equivalent command, creates the endpoint, and prints its signing secret. Nothing is written before the final confirmation, where every answer can still be changed. ${AS_FLAGS}`,
    examples: [
      { command: 'svc webhooks setup', caption: 'prompt for everything' },
      {
        command: 'svc webhooks setup --url https://example.com/hook',
        caption: 'pass the URL, and prompt for the rest',
      },
    ],
    flagsOf: 'webhooks.endpoints.create',
    load: async () => (await import('./endpoint.ts')).setUpEndpoint,
  },
  {
    command: ['webhooks', 'config', 'setup'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Configure basic webhooks interactively',
    description: `Prompts for each setting, shows the changes, and applies only those. ${AS_FLAGS}`,
    examples: [{ command: 'svc webhooks config setup', caption: 'prompt for each setting' }],
    flagsOf: 'webhooks.config.update',
    load: async () => (await import('./service-configs.ts')).setUpWebhookConfig,
  },
  {
    command: ['email', 'setup'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Configure email interactively',
    description: `Prompts for each setting, shows the changes, and applies only those. ${AS_FLAGS}`,
    examples: [
      { command: 'svc email setup --from-company Acme', caption: 'pass the company name, and prompt for the rest' },
    ],
    flagsOf: 'email.update',
    load: async () => (await import('./service-configs.ts')).setUpEmail,
  },
];
