import { type CommandDefinition, defineCommand } from '../definition.ts';
import { DEFAULT_LIMIT, HISTORY_COLUMNS } from './columns.ts';

export const HISTORY_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['history'],
    globalFlags: ['result'],
    summary: 'Show commands run on this machine that wrote to a service',
    description:
      'Every command that writes to a service, issues an access token, or saves the data of a person is recorded in a private file: its time, profile, ' +
      'command line without free text and secrets, first IDs, and outcome. Other reads, dry runs, and killed commands are ' +
      'not recorded. The size of the file is limited. SVC_HISTORY=0 turns the history off.',
    examples: {
      'svc history --since 2h': 'show the writes of the last two hours',
      "svc history -o json --jq '.[] | select(.exitCode != 0)'": 'list failed commands',
      'svc history clear': 'delete the history',
    },
    arguments: [{ name: 'clear', description: "'clear' to delete the history", required: false }],
    options: [
      { flags: '--watch', description: 'show new commands until Ctrl-C' },
      { flags: '--since <when>', description: 'start of the period: 2h, 7d, or a time' },
    ],
    columns: HISTORY_COLUMNS,
    listEnd: DEFAULT_LIMIT,
    load: async () => (await import('./history.ts')).historyCommand,
  }),
];
