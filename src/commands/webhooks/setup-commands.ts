import type { CommandDefinition } from '../definition.ts';

export const SETUP_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['webhooks', 'setup'],
    globalFlags: ['service', 'result', 'dry-run'],
    summary: 'Create an advanced webhook endpoint interactively',
    description:
      'Prompts for the URL and events, shows the request and the equivalent command, creates the endpoint, and prints its signing secret. Nothing is written before the final confirmation, which also offers all other settings. Values given as flags are not prompted for. ACCESSIBLE=1 uses plain, numbered prompts.',
    examples: {
      'svc webhooks setup': 'prompt for everything',
      'svc webhooks setup --url https://example.com/hook': 'pass the URL, and prompt for the rest',
    },
    flagsOf: 'webhooks.endpoints.create',
    load: async () => (await import('./endpoint.ts')).setUpEndpoint,
  },
];
