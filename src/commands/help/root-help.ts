import { SECTIONS } from '../../catalog/groups.ts';
import type { Node } from '../definition.ts';
import { findChild } from '../tree/aliases.ts';
import { commandTree } from '../tree/tree.ts';
import { formatRows } from './format-rows.ts';

const SUMMARY = 'svc administers a collaboration backend: users, documents, access, and webhooks.';

export const FIRST_COMMANDS: readonly (readonly [command: string, purpose: string])[] = [
  ['svc users add --local --org acme --user ada', 'Try it without an account'],
  ['svc login', 'Connect to your service'],
  ['svc doctor', 'Check the connection'],
  ['svc users add --org acme --file users.csv', 'Import users from a file'],
  ['svc webhooks setup', 'Create a webhook endpoint'],
  ['svc serve', 'Run a service on a port'],
];

/**
 * Output of `svc` without a command. Fits 80 columns and 24 lines. The build replaces this module
 * with constants.
 */
export const START_SCREEN: string = formatStartScreen(true);
export const NARROW_START_SCREEN: string = formatStartScreen(false);
export const ROOT_HELP: string = formatRootHelp(commandTree());

function formatStartScreen(listsCommands: boolean): string {
  const commands = [...SECTIONS].map(([title, names]) => [title, names.join(', ')] as const);
  return [
    SUMMARY,
    '',
    'First steps:',
    ...formatRows(FIRST_COMMANDS),
    '',
    ...(listsCommands ? ['Commands:', ...formatRows(commands), ''] : []),
    "Run 'svc --help' for all commands with a summary, 'svc help <command>' for flags and examples, and 'svc help topics' for more.",
    '',
  ].join('\n');
}

function formatRootHelp(root: Node): string {
  const rows = [...SECTIONS].flatMap(([, names]) =>
    names.map((name) => [name, findChild(root, name)?.summary ?? ''] as const),
  );
  const lines = formatRows(rows);
  const sections = [...SECTIONS].flatMap(([title, names]) => [
    '',
    `${title}:`,
    ...lines.splice(0, names.length),
  ]);
  return [
    SUMMARY,
    '',
    'Usage:',
    '  svc <command> [flags]',
    ...sections,
    '',
    'Learn more:',
    ...formatRows([
      ['svc help <command>', 'Flags and examples of a command'],
      ['svc help flags', 'Global flags, such as --local, --profile, --output, and --dry-run'],
      ['svc help topics', 'Topics, such as exit codes and environment variables'],
    ]),
    '',
  ].join('\n');
}
