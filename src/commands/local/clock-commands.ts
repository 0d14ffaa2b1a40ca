import { defineCommand } from '../define-command.ts';
import type { CommandDefinition } from '../definition.ts';
import { CHANGE_CLOCK_FLAGS } from './flags.ts';

const CHANGE = { globalFlags: ['local', 'result'], options: CHANGE_CLOCK_FLAGS } as const;

export const CLOCK_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['local', 'clock', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show the time of the embedded service',
    load: async () => (await import('./clock.ts')).showClock,
  },
  defineCommand({
    ...CHANGE,
    command: ['local', 'clock', 'advance'],
    summary: 'Move the time of the embedded service forward',
    description:
      'Runs everything that becomes due on the way, in the order of its due time: delivery attempts and their retries, endpoints disabled after five days of failures, and expiring tokens and permissions. Prints what happened. The time applies to every process that uses the store, also after a restart.',
    examples: {
      'svc local clock advance 49h': 'let access tokens expire, which are valid for 48 hours',
      'svc local clock advance 6d -o json': 'run the whole delivery schedule, and print the report as JSON',
    },
    arguments: [{ name: 'duration', description: 'duration such as 30s, 10m, 49h, or 7d', required: true }],
    load: async () => (await import('./clock.ts')).changeClockBy('advance'),
  }),
  defineCommand({
    ...CHANGE,
    command: ['local', 'clock', 'set'],
    summary: 'Set the time of the embedded service',
    description: 'Does not run due work: svc serve sends deliveries that are due at the new time.',
    examples: { 'svc local clock set 2027-01-01T00:00:00Z': 'set a time' },
    arguments: [{ name: 'time', description: 'time in RFC 3339, or Unix time in seconds', required: true }],
    load: async () => (await import('./clock.ts')).changeClockBy('set'),
  }),
  defineCommand({
    ...CHANGE,
    command: ['local', 'clock', 'freeze'],
    summary: 'Stop the time of the embedded service',
    description: 'Work that is already due still runs. svc local clock advance and set also move a stopped time.',
    load: async () => (await import('./clock.ts')).changeClockBy('freeze'),
  }),
  defineCommand({
    ...CHANGE,
    command: ['local', 'clock', 'run'],
    summary: 'Let the time of the embedded service run again',
    load: async () => (await import('./clock.ts')).changeClockBy('run'),
  }),
  defineCommand({
    ...CHANGE,
    command: ['local', 'clock', 'reset'],
    summary: 'Return the embedded service to the real time',
    load: async () => (await import('./clock.ts')).changeClockBy('reset'),
  }),
];
