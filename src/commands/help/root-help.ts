import { DEVELOPER_SECTION, SECTIONS } from '../../catalog/groups.ts';
import type { Node } from '../definition.ts';
import { findChild } from '../tree/aliases.ts';
import { commandTree } from '../tree/tree.ts';
import {
  createCommandSection,
  createProse,
  createRowSections,
  type HelpPage,
  toRows,
} from './blocks.ts';

const SUMMARY = 'svc administers a collaboration backend: users, documents, access, and webhooks.';

export const FIRST_COMMANDS: readonly (readonly [command: string, purpose: string])[] = [
  ['svc users add --local --org acme --user ada', 'Try it without an account'],
  ['svc login', 'Connect to your service'],
  ['svc doctor', 'Check the connection'],
  ['svc users add --org acme --file users.csv', 'Import users from a file'],
  ['svc webhooks setup', 'Create a webhook endpoint'],
  ['svc serve', 'Run a service on a port'],
];

/** Columns that the list of commands on the start screen needs. */
const LIST_COLUMNS = 80;

/**
 * Output of `svc` without a command. Fits 80 columns and 24 lines. The build replaces this module
 * with constants.
 */
export const START_SCREEN: HelpPage = createStartScreen();
export const ROOT_HELP: HelpPage = createRootHelp(commandTree());

function createStartScreen(): HelpPage {
  const commands = [...SECTIONS].map(([title, names]) => [title, names.join(', ')] as const);
  const firstSteps = FIRST_COMMANDS.map(([term, text]) => ({ term, text, isCommand: true }));
  return [
    createProse(SUMMARY),
    ...createRowSections('first steps', [['First steps', firstSteps]]),
    ...createRowSections('commands', [['Commands', toRows(commands)]]).map((section) => ({
      ...section,
      minColumns: LIST_COLUMNS,
    })),
    createProse(
      "Run 'svc --help' for all commands with a summary, 'svc help <command>' for flags and examples, and 'svc help topics' for more.",
    ),
  ];
}

function createRootHelp(root: Node): HelpPage {
  const listed = [...SECTIONS].filter(([title]) => title !== DEVELOPER_SECTION);
  const sections = listed.map(([title, names]) => {
    const rows = names.map((name) => [name, findChild(root, name)?.summary ?? ''] as const);
    return [title, toRows(rows)] as const;
  });
  return [
    createProse(SUMMARY),
    createCommandSection('Usage', [['svc <command> [flags]']]),
    ...createRowSections('commands', sections),
    createProse(`${DEVELOPER_SECTION}: ${SECTIONS.get(DEVELOPER_SECTION)?.join(', ')}`),
    ...createRowSections('more', [
      [
        'Learn more',
        toRows([
          ['svc help <command>', 'Flags and examples of a command'],
          ['svc help flags', 'Global flags, such as --local, --profile, --output, and --dry-run'],
          ['svc help topics', 'Topics, such as exit codes and environment variables'],
        ]),
      ],
    ]),
  ];
}
