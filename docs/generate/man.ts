import { SECTIONS } from '../../src/catalog/groups.ts';
import { GLOBAL_FLAGS } from '../../src/commands/global-flags.ts';
import type { HelpRow } from '../../src/commands/help/blocks.ts';
import { commandDescription } from '../../src/commands/help/command-help.ts';
import { createFlagRows, describeFlagRow } from '../../src/commands/help/flag-rows.ts';
import { environmentVariables } from '../../src/commands/help/topics.ts';
import { FAILURES } from '../../src/kernel/errors.ts';
import { type DescribedCommand, type DescribedGroup, describedGroups } from './command-tree.ts';

/** Date in the page headers. Fixed, so that unchanged sources produce unchanged pages. */
const DATE = '2026-11-21';

/**
 * Renders the manual in man(7) format: `svc.1` and a page per command group, by path below
 * `docs/man`.
 */
export async function manualPages(): Promise<ReadonlyMap<string, string>> {
  const groups = await describedGroups();
  const pages = groups.map((group) => [`svc-${group.name}.1`, groupPage(group)] as const);
  return new Map([['svc.1', mainPage(groups)], ...pages]);
}

function mainPage(groups: readonly DescribedGroup[]): string {
  return page('svc', 'administer a collaboration backend from the command line', [
    ['SYNOPSIS', ['.B svc', text('<command> [flags]')]],
    [
      'COMMANDS',
      [...SECTIONS].flatMap(([title, names]) => [
        `.SS ${quoted(title)}`,
        ...groupEntries(groups, names),
      ]),
    ],
    ['GLOBAL FLAGS', createFlagRows(GLOBAL_FLAGS).flatMap(flagEntry)],
    ['ENVIRONMENT', environmentVariables().flatMap(([name, does]) => entry(name, does))],
    ['EXIT STATUS', exitCodes()],
  ]);
}

function groupEntries(
  groups: readonly DescribedGroup[],
  names: readonly string[],
): readonly string[] {
  return groups
    .filter(({ name }) => names.includes(name))
    .flatMap(({ name, summary }) => entry(`svc ${name}`, `${summary}; see svc-${name}(1)`));
}

function groupPage({ name, summary, commands }: DescribedGroup): string {
  return page(`svc-${name}`, summary, [
    ['SYNOPSIS', commands.flatMap(({ usage }) => [text(usage), '.br']).slice(0, -1)],
    ['DESCRIPTION', commands.flatMap(commandLines)],
    ['SEE ALSO', ['.BR svc (1)']],
  ]);
}

function commandLines({
  words,
  summary,
  description,
  examples,
  flags,
}: DescribedCommand): readonly string[] {
  return [
    `.SS ${quoted(`svc ${words.join(' ')}`)}`,
    text(description === undefined ? `${summary}.` : commandDescription(summary, description)),
    ...flags.flatMap(flagEntry),
    ...(Object.keys(examples).length > 0 ? ['.PP', 'Examples:'] : []),
    ...Object.entries(examples).flatMap(([command, caption]) => [
      ...(caption === '' ? [] : ['.PP', text(caption)]),
      '.PP',
      '.RS 4',
      '.nf',
      text(command),
      '.fi',
      '.RE',
    ]),
  ];
}

function page(
  name: string,
  summary: string,
  sections: readonly (readonly [string, readonly string[]])[],
): string {
  const head = [
    `.TH ${quoted(name.toUpperCase())} 1 "${DATE}" ${quoted('svc')}`,
    '.SH NAME',
    `${text(name)} \\- ${text(summary)}`,
  ];
  const rest = sections.flatMap(([title, lines]) => [`.SH ${quoted(title)}`, ...lines]);
  return `${[...head, ...rest].join('\n')}\n`;
}

function flagEntry(row: HelpRow): readonly string[] {
  return entry(row.term, describeFlagRow(row));
}

function entry(term: string, does: string): readonly string[] {
  return ['.TP', `.B ${text(term)}`, text(does)];
}

function exitCodes(): readonly string[] {
  const byCode = Map.groupBy(Object.values(FAILURES), ({ exitCode }) => exitCode);
  return [
    [0, 'success, and all output was written'] as const,
    ...[...byCode].map(
      ([code, all]) => [code, all.map(({ meaning }) => meaning).join('; ')] as const,
    ),
  ].flatMap(([code, meaning]) => entry(String(code), meaning));
}

/**
 * Escapes a text for roff: backslashes, hyphens, special characters, and control characters at the
 * start of a line.
 */
function text(plain: string): string {
  const escaped = plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('’', "'");
  return escaped.replace(/^([.'])/gm, '\\&$1');
}

function quoted(plain: string): string {
  return `"${text(plain).replaceAll('"', '\\(dq')}"`;
}
