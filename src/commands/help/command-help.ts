import type { Example } from '../../catalog/define.ts';
import type { ArgumentDefinition, Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { argumentsOf, flagsOf, type LoadedLeaf } from '../tree/leaf.ts';
import { commandsBelow } from '../tree/tree.ts';
import { rows } from './rows.ts';
import { TOPIC_NAMES } from './topic-names.ts';

/** That every command takes --help is said once, at the top. */
const ROOT_FLAGS = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];

/** The help of one command: what it does, how it is used, examples, then flags. */
export function helpText(node: Node, leaf: LoadedLeaf | undefined): string {
  const { summary, description, examples } = about(node, leaf);
  const isRoot = node.path.length === 0;
  const operands = leaf ? argumentsOf(leaf) : [];
  const flags = leaf ? flagsOf(leaf) : isRoot ? ROOT_FLAGS : [];
  const sections = [
    description ?? summary,
    `Usage:\n  ${usage(node, operands)}`,
    section('Examples', examples.flatMap(exampleLines)),
    section('Commands', rows(commandsBelow(node))),
    section('Arguments', rows(operands.map(({ name, describes }) => [name, describes]))),
    section(isRoot ? 'Global flags' : 'Flags', rows(flagRows(flags))),
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

function usage({ path, leaf }: Node, operands: readonly ArgumentDefinition[]): string {
  const words = ['svc', ...path];
  if (!leaf) return [...words, '<command>', '[flags]'].join(' ');
  const shown = operands.map(({ name, many, required }) => {
    const whole = many ? `${name}...` : name;
    return required ? `<${whole}>` : `[${whole}]`;
  });
  return [...words, ...shown, '[flags]'].join(' ');
}

function exampleLines({ command, does }: Example): string[] {
  return [`  # ${does}`, `  ${command}`];
}

/** A flag that nothing is said of is hidden. */
function flagRows(flags: readonly OptionDefinition[]): (readonly [string, string])[] {
  return flags
    .filter(({ describes }) => describes !== '')
    .map(({ flags: names, describes, choices }) => [
      names.startsWith('--') ? `    ${names}` : names,
      choices ? withChoices(describes, choices) : describes,
    ]);
}

/** `records with one id (fail)` has a value when it is left out, which is one of the choices. */
function withChoices(describes: string, choices: readonly string[]): string {
  const [, said = describes, preset = ''] = /^(.*) \((\S+)\)$/.exec(describes) ?? [];
  const all = choices.join(', ');
  return choices.includes(preset) ? `${said} (${all}; ${preset} when left out)` : `${describes} (${all})`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : '';
}

function footer(node: Node): string {
  return node.path.length === 0
    ? `svc help <command> shows the flags and examples of a command.\nTopics: svc help ${TOPIC_NAMES.join(', ')}.`
    : 'Global flags (--local, --profile, --output, --fields, --dry-run, …): svc --help';
}
