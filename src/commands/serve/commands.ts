import { FEATURES } from '../../catalog/define.ts';
import { DEFAULT_ADDRESS } from '../default-address.ts';
import type { CommandDefinition } from '../definition.ts';

export const SERVE_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['serve'],
    summary: 'Serve the embedded service over HTTP',
    description:
      'Answers the whole interface from one SQLite file, which other commands reach with --local at the same time, or from a PostgreSQL database, which any number of machines may serve. The first use makes a workspace, an API key and tokens, and prints them. Delivers webhooks; targets on this machine and in private networks are reached only while the service listens on this machine alone. Ends with Ctrl-C or SIGTERM, after what is in flight.',
    examples: [
      { command: 'svc serve', does: 'serve, and print what to export in another terminal' },
      {
        command: 'svc serve --port 0 -o json',
        does: 'on a free port, its address and credentials as one line of JSON',
      },
    ],
    options: [
      { flags: '--port <n>', describes: `port to listen on; 0 takes a free one (${DEFAULT_ADDRESS.port})` },
      { flags: '--host <address>', describes: `address to listen on (${DEFAULT_ADDRESS.host}, this machine only)` },
      {
        flags: '--without <features>',
        describes: `features that it lacks, separated by commas: ${FEATURES.join(', ')}`,
      },
      { flags: '--rate-limit <calls/time>', describes: 'calls that each credential may make in a time: 60/1m' },
      {
        flags: '--time-scale <factor>',
        describes: 'shorten or stretch the delays between attempts of a delivery: 0.001',
      },
      { flags: '--strict', describes: 'answer a call with INTERNAL and details when some of its documents fail' },
    ],
    load: async () => (await import('./serve.ts')).serveCommand,
  },
];
