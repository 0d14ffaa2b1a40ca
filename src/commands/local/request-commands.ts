import { type CommandDefinition, defineCommand } from '../definition.ts';
import { REQUEST_COLUMNS } from '../embedded/development-columns.ts';
import { LIST_REQUESTS_FLAGS, TAIL_REQUESTS_FLAGS, WAIT_FOR_REQUESTS_FLAGS } from './flags.ts';

export const REQUEST_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['local', 'requests', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List the latest requests to svc serve, oldest first',
    description:
      'svc serve and the library log requests, without secrets, to a file beside the store. The log keeps the latest 2,000 requests. A gap between IDs means that the disk was too slow to log some requests.',
    examples: {
      'svc local requests list --on users.add': 'list the requests of one operation',
      'svc local requests list --har requests.har':
        'write an HTTP archive for the developer tools of a browser',
    },
    options: LIST_REQUESTS_FLAGS,
    columns: REQUEST_COLUMNS,
    load: async () => (await import('./requests.ts')).listLocalRequests,
  }),
  {
    command: ['local', 'requests', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show requests with their request and response bodies',
    arguments: [{ name: 'id', description: 'request IDs', required: true, many: true }],
    load: async () => (await import('./requests.ts')).showLocalRequests,
  },
  defineCommand({
    command: ['local', 'requests', 'tail'],
    globalFlags: ['local'],
    summary: 'Print requests to svc serve as they arrive',
    examples: { 'svc local requests tail -o ndjson': 'print each request as a line of JSON' },
    options: TAIL_REQUESTS_FLAGS,
    load: async () => (await import('./requests.ts')).tailLocalRequests,
  }),
  defineCommand({
    command: ['local', 'requests', 'wait'],
    globalFlags: ['local', 'result'],
    summary: 'Wait for requests to svc serve',
    description:
      'Counts the requests that arrive after the command starts, and prints them. Exits with 8 if too few arrive before the timeout.',
    examples: {
      'svc local requests wait --on users.add --count 3 --timeout 5s': 'wait for three requests',
    },
    options: WAIT_FOR_REQUESTS_FLAGS,
    columns: REQUEST_COLUMNS,
    load: async () => (await import('./requests.ts')).waitForLocalRequests,
  }),
];
