import { GROUP_DETAILS } from '../../catalog/groups.ts';
import type { ArgumentDefinition, Node, OptionDefinition } from '../definition.ts';
import { findByPath, findShortcuts } from '../tree/aliases.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf } from '../tree/leaf.ts';
import { commandTree, subcommandsOf } from '../tree/tree.ts';
import { formatRows } from './format-rows.ts';
import { ROOT_HELP } from './root-help.ts';

export function helpText(node: Node, leaf: LoadedLeaf | undefined): string {
  const operands = leaf ? argumentsOf(leaf) : [];
  const definition = leaf?.kind === 'operation' ? leaf.versions[0] : leaf?.definition;
  const examples = Object.entries(definition?.examples ?? {});
  const sections = [
    definition ? commandDescription(definition.summary, definition.description) : node.summary,
    (GROUP_DETAILS.get(node.path.join(' ')) ?? []).join('\n'),
    `Usage:\n  ${usageLine(node, operands)}`,
    section(
      'Aliases',
      findShortcuts(node.path).map((word) => `  svc ${word}`),
    ),
    section(
      'Examples',
      examples.flatMap(([command, caption]) => [`  # ${caption}`, `  ${command}`]),
    ),
    section('Commands', formatRows(subcommandsOf(node))),
    section('Arguments', formatRows(operands.map(({ name, description }) => [name, description]))),
    ...(leaf ? flagSections(flagsOf(leaf)) : []),
    "Run 'svc help flags' for global flags such as --local, --profile, --output, --fields, and --dry-run.",
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
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

/**
 * Creates the sections for flags. Tuning flags come last. Omits hidden flags and flags without a
 * description.
 */
function flagSections(all: readonly OptionDefinition[]): readonly string[] {
  const flags = all.filter(({ description, isHidden }) => description !== '' && !isHidden);
  const [task, tuning] = [
    flags.filter(({ isTuning }) => !isTuning),
    flags.filter(({ isTuning }) => isTuning),
  ];
  const lines = flagLines([...task, ...tuning]);
  return [
    section('Flags', lines.slice(0, task.length)),
    section("Speed, errors, and sharding (see 'svc help bulk')", lines.slice(task.length)),
  ];
}

export function flagLines(flags: readonly OptionDefinition[]): readonly string[] {
  return formatRows(
    flags.map((flag) => [
      flag.flags.startsWith('--') ? `    ${flag.flags}` : flag.flags,
      flagDescription(flag),
    ]),
  );
}

const TRAILING_NOTES = /(?: \((?:default: [^()]+|required|repeatable)\))*$/;

export function flagDescription({ description, choices }: OptionDefinition): string {
  if (!choices) return description;
  const [notes = ''] = TRAILING_NOTES.exec(description) ?? [];
  return `${description.slice(0, description.length - notes.length)}: ${choices.join(', ')}${notes}`;
}

export function commandDescription(summary: string, details: string | undefined): string {
  return details === undefined ? summary : `${summary}. ${details}`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : '';
}

export async function helpForPath(path: readonly string[]): Promise<string | undefined> {
  if (path.length === 0) return ROOT_HELP;
  const node = findByPath(commandTree(), path);
  return node && helpText(node, node.leaf && (await loadLeaf(node.leaf)));
}
