import type { Command, Option } from 'commander';
import type { Example } from '../../catalog/define.ts';
import type { Node } from '../definition.ts';
import type { LoadedLeaf } from '../leaf.ts';
import { rows } from './rows.ts';
import { TOPIC_NAMES } from './topic-names.ts';

/** The help of one command: what it does, how it is used, examples, then flags. */
export function helpText(command: Command, node: Node, leaf: LoadedLeaf | undefined): string {
  const { summary, description, examples } = about(node, leaf);
  const sections = [
    description ?? summary,
    `Usage:\n  ${usage(command, node)}`,
    section('Examples', examples.flatMap(exampleLines)),
    section('Commands', rows(command.commands.map((child) => [child.name(), child.description()]))),
    section('Arguments', rows(command.registeredArguments.map((argument) => [argument.name(), argument.description]))),
    section(node.path.length === 0 ? 'Global flags' : 'Flags', rows(flagRows(flagsOf(command)))),
    footer(node),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

interface About {
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
}

function about(node: Node, leaf: LoadedLeaf | undefined): About {
  if (node.path.length === 0) return ROOT;
  if (!leaf) return { summary: node.summary, examples: [] };
  const { summary, description, examples = [] } = leaf.kind === 'operation' ? leaf.versions[0] : leaf.definition;
  return { summary, ...(description && { description }), examples };
}

const ROOT: About = {
  summary: 'svc administers a collaboration backend from the command line.',
  examples: [
    { command: 'svc users add --local --org acme --file examples/users.json', does: 'try it, with no account' },
    { command: 'svc profiles add prod --base-url https://api.example.com --api-key K', does: 'save a connection' },
  ],
};

function usage(command: Command, node: Node): string {
  const words = ['svc', ...node.path];
  if (!node.leaf) return [...words, '<command>', '[flags]'].join(' ');
  const operands = command.registeredArguments.map((argument) => {
    const shown = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${shown}>` : `[${shown}]`;
  });
  return [...words, ...operands, '[flags]'].join(' ');
}

function exampleLines({ command, does }: Example): string[] {
  return [`  # ${does}`, `  ${command}`];
}

/** A command's own flags. That it takes --help is said once, at the top. */
function flagsOf(command: Command): readonly Option[] {
  return command.parent ? command.options : command.createHelp().visibleOptions(command);
}

function flagRows(options: readonly Option[]): (readonly [string, string])[] {
  return options
    .filter(({ hidden }) => !hidden)
    .map((option) => {
      const choices = option.argChoices ? ` (${option.argChoices.join(', ')})` : '';
      return [option.short ? option.flags : `    ${option.flags}`, `${option.description}${choices}`];
    });
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : '';
}

function footer(node: Node): string {
  return node.path.length === 0
    ? `svc help <command> shows the flags and examples of a command.\nTopics: svc help ${TOPIC_NAMES.join(', ')}.`
    : 'Global flags (--local, --profile, --output, --fields, --dry-run, …): svc --help';
}
