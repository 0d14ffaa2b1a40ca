import type { CommandDefinition } from '../definition.ts';

export const HISTORY_COMMANDS: readonly CommandDefinition[] = [
  {
    command: ['history'],
    summary: 'Show what svc wrote to services from this machine',
    description:
      'Every run that wrote to a service leaves a line in a file of your own: when, through which profile, the command ' +
      'line without free text and secrets, the first ids, and how it ended. Reads, dry runs and killed runs leave none. ' +
      'The file is bounded; SVC_HISTORY=0 keeps none.',
    examples: [
      { command: 'svc history --since 2h', does: 'what was written in the last two hours' },
      { command: "svc history -o json --jq '.[] | select(.exitCode != 0)'", does: 'what failed' },
      { command: 'svc history clear', does: 'forget all of it' },
    ],
    arguments: [{ name: 'clear', describes: "the word 'clear' removes all of it", required: false }],
    options: [
      { flags: '--limit <n>', describes: 'the last n runs (50)' },
      { flags: '--since <when>', describes: 'from then on: 2h, 7d, or a time' },
    ],
    load: async () => (await import('./history.ts')).historyCommand,
  },
];
