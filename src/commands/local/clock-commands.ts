import { type CommandDefinition, defineCommand } from '../definition.ts';
import { CHANGE_CLOCK_FLAGS } from './flags.ts';

export const CLOCK_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['local', 'clock', 'show'],
    globalFlags: ['local', 'result'],
    summary: 'Show the time of the embedded service',
    load: async () => (await import('./clock.ts')).showClock,
  },
  defineChange('advance', {
    summary: 'Move the clock of the embedded service forward',
    description:
      'Runs everything that becomes due in the meantime, in order: delivery attempts and retries, the disabling of endpoints after five days of failures, and the expiry of tokens and permissions. Prints a report. The new time applies to every process that uses the store, even after a restart.',
    examples: {
      'svc local clock advance 49h': 'expire access tokens, which are valid for 48 hours',
      'svc local clock advance 6d -o json':
        'run the whole delivery schedule and print the report as JSON',
    },
    arguments: [
      { name: 'duration', description: 'duration such as 30s, 10m, 49h, or 7d', required: true },
    ],
  }),
  defineChange('set', {
    summary: 'Set the clock of the embedded service',
    description:
      'Does not run work that becomes due. svc serve sends the deliveries that are due at the new time.',
    examples: { 'svc local clock set 2027-01-01T00:00:00Z': 'set the clock to the start of 2027' },
    arguments: [
      { name: 'time', description: 'time in RFC 3339, or Unix time in seconds', required: true },
    ],
  }),
  defineChange('freeze', {
    summary: 'Stop the clock of the embedded service',
    description:
      'Work that is already due still runs. svc local clock advance and svc local clock set also change a frozen clock.',
  }),
  defineChange('run', { summary: 'Restart the frozen clock of the embedded service' }),
  defineChange('reset', { summary: 'Return the embedded service to real time' }),
];

function defineChange(
  name: 'advance' | 'set' | 'freeze' | 'run' | 'reset',
  texts: Pick<CommandDefinition, 'summary' | 'description' | 'examples' | 'arguments'>,
): CommandDefinition {
  return defineCommand({
    ...texts,
    command: ['local', 'clock', name],
    globalFlags: ['local', 'result'],
    options: CHANGE_CLOCK_FLAGS,
    load: async () => (await import('./clock.ts')).createClockCommand(name),
  });
}
