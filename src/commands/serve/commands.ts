import { defineCommand } from '../define-command.ts';
import type { CommandDefinition } from '../definition.ts';
import { SERVE_FLAGS } from './flags.ts';

export const SERVE_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['serve'],
    globalFlags: ['local'],
    summary: 'Serve the embedded service over HTTP',
    description:
      'Serves the complete API from a SQLite file, which other commands can use at the same time with --local, or from a PostgreSQL database, which several machines can serve. The first start creates and prints a workspace, an API key, and tokens. Delivers webhooks; private and local targets are reachable only while the service listens on the loopback address. On a terminal, prints a line for each request. -q turns this log off, and -o ndjson prints it on stdout, after the line with address and credentials. --faults replaces the rules for faults in the store until the service stops. Ctrl-C or SIGTERM stops the service after requests in flight are finished.',
    examples: {
      'svc serve': 'serve, and print the variables to export',
      'svc serve --port 0 -o json': 'serve on a free port, and print the address and credentials as JSON',
      'svc serve --port 0 -o ndjson': 'also print each request as a line of JSON',
    },
    options: SERVE_FLAGS,
    load: async () => (await import('./serve.ts')).serveCommand,
  }),
];
