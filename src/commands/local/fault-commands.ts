import type { CommandDefinition } from '../definition.ts';
import { FAULT_COLUMNS } from '../embedded/development-columns.ts';

export const FAULT_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['local', 'faults', 'add'],
    globalFlags: ['local', 'result', 'dry-run'],
    summary: 'Make requests to the embedded service fail on purpose',
    description:
      'Adds a fault rule that applies from the next request, even in a running svc serve. Only the first rule that applies to a request takes effect. A rule has an operation or * (on), optionally an organization (org), a schedule (share, nth, every, or times; default: every request), and one effect: status responds with an error; delay waits, with the percentiles p50 and p99; drop closes the connection before or after the write; cut closes it after the write and a share of the response; items makes a share of the records fail. The operation delivery stands for webhook deliveries.',
    examples: {
      [`svc local faults add '{"on":"users.add","share":0.2,"status":"UNAVAILABLE"}'`]:
        'reject a fifth of the requests',
      [`svc local faults add '{"on":"users.add","times":1,"drop":"after"}'`]:
        'lose the response to the next request',
      [`svc local faults add '{"on":"*","delay":{"p50":"200ms","p99":"2s"}}'`]:
        'slow down all requests',
    },
    arguments: [
      { name: 'rule', description: "fault rule as JSON, @file, or '-' for stdin", required: true },
    ],
    columns: FAULT_COLUMNS,
    load: async () => (await import('./faults.ts')).addLocalFault,
  },
  {
    command: ['local', 'faults', 'list'],
    globalFlags: ['local', 'result'],
    summary: 'List the fault rules in the order in which they apply',
    columns: FAULT_COLUMNS,
    load: async () => (await import('./faults.ts')).listLocalFaults,
  },
  {
    command: ['local', 'faults', 'clear'],
    globalFlags: ['local', 'dry-run'],
    summary: 'Remove all fault rules',
    load: async () => (await import('./faults.ts')).clearLocalFaults,
  },
];
