import { GROUP_DETAILS } from '../../catalog/groups.ts';
import type { ArgumentDefinition, Node, OptionDefinition } from '../definition.ts';
import { findByPath, findShortcuts } from '../tree/aliases.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';
import { commandTree, subcommandsOf } from '../tree/tree.ts';
import {
  createCommandSection,
  createProse,
  createRowSections,
  type HelpPage,
  type HelpSection,
  toRows,
} from './blocks.ts';
import { alignLongFlags, createFlagRows } from './flag-rows.ts';
import { ROOT_HELP } from './root-help.ts';

export function createCommandHelp(node: Node, leaf: LoadedLeaf | undefined): HelpPage {
  const operands = leaf ? argumentsOf(leaf) : [];
  const definition = leaf?.kind === 'operation' ? leaf.versions[0] : leaf?.definition;
  const shortcuts = findShortcuts(node.path).map((word) => [`svc ${word}`] as const);
  const argumentRows = operands.map(({ name, description }) => ({ term: name, text: description }));
  const sections = [
    createProse(
      definition ? commandDescription(definition.summary, definition.description) : node.summary,
    ),
    createProse(...(GROUP_DETAILS.get(node.path.join(' ')) ?? [])),
    createCommandSection('Usage', [[usageLine(node, operands)]]),
    createCommandSection('Aliases', shortcuts),
    createCommandSection('Examples', Object.entries(definition?.examples ?? {})),
    ...createRowSections('commands', [['Commands', toRows(subcommandsOf(node))]]),
    ...createRowSections('arguments', [['Arguments', argumentRows]]),
    ...(leaf ? flagSections(flagsOf(leaf)) : []),
    createProse("Run 'svc help flags' for global flags such as --output, --quiet, and --no-input."),
  ];
  return sections.filter(({ blocks }) => blocks.length > 0);
}

function usageLine({ path, leaf }: Node, operands: readonly ArgumentDefinition[]): string {
  const words = ['svc', ...path];
  if (!leaf) return [...words, '<command>', '[flags]'].join(' ');
  const shown = operands.map(({ name, many, required }) => {
    const whole = many ? `${name}...` : name;
    return required ? `<${whole}>` : `[${whole}]`;
  });
  return [...words, ...shown, '[flags]'].join(' ');
}

/** Creates the sections for flags. Bulk commands have several. Tuning flags come last. */
function flagSections(flags: readonly OptionDefinition[]): readonly HelpSection[] {
  const {
    record = [],
    file = [],
    other = [],
    tuning = [],
  } = Object.groupBy(flags, ({ isTuning, section = 'other' }) => (isTuning ? 'tuning' : section));
  const sections: readonly (readonly [string, readonly OptionDefinition[]])[] = [
    ['Flags', other],
    ['Flags for a single record', record],
    ['Flags for records from files', file],
    ["Speed, errors, and sharding (see 'svc help bulk')", tuning],
  ];
  return createRowSections(
    'flags',
    sections.map(([title, rows]) => [title, alignLongFlags(createFlagRows(rows))]),
  );
}

export function commandDescription(summary: string, details: string | undefined): string {
  return details === undefined ? summary : `${summary}. ${details}`;
}

export async function helpForPath(path: readonly string[]): Promise<HelpPage | undefined> {
  if (path.length === 0) return ROOT_HELP;
  const node = findByPath(commandTree(), path);
  return node && createCommandHelp(node, node.leaf && (await loadLeaf(node.leaf)));
}
