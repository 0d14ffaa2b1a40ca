import { type CommandDefinition, defineCommand } from '../definition.ts';
import { SERVE_FLAGS } from './flags.ts';

export const SERVE_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['serve'],
    globalFlags: ['local'],
    summary: 'Serve the embedded service over HTTP',
    description:
      'Serves the complete API from a SQLite file, which other commands can use at the same time with --local, or from a PostgreSQL database, which several machines can share. On first use, creates a workspace, an API key, and tokens. Delivers webhooks; private and local targets are allowed only while the service listens on a loopback address. On a terminal, prints a line for each request and each delivery attempt. -q turns this log off, and -o ndjson prints it to stdout, after a line with the URL and the credentials. --faults replaces the fault rules of the store until the service stops. Ctrl-C or SIGTERM stops the service after it finishes the requests in flight.',
    examples: {
      'svc serve': 'start the service and print the variables to export',
      'svc serve --port 0 -o json':
        'use a free port, and print the URL and the credentials as JSON',
      'svc serve --port 0 -o ndjson': 'also print each request as a line of JSON',
    },
    options: SERVE_FLAGS,
    load: async () => (await import('./serve.ts')).serveCommand,
  }),
];
