import type { Example } from '../../catalog/define.ts';
import type { ArgumentDefinition, Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG, VERSION_FLAG } from '../global-flags.ts';
import { argumentsOf, flagsOf, type LoadedLeaf } from '../tree/leaf.ts';
import { subcommandsOf } from '../tree/tree.ts';
import { formatRows } from './format-rows.ts';
import { TOPIC_NAMES } from './topic-names.ts';

/** Flags in the help of `svc` itself; `--help` is listed only there. */
const ROOT_FLAGS = [...GLOBAL_FLAGS, VERSION_FLAG, HELP_FLAG];

/** Help of one command: description, usage, examples, subcommands, arguments, and flags. */
export function helpText(node: Node, leaf: LoadedLeaf | undefined): string {
  const { summary, description, examples } = helpTexts(node, leaf);
  const isRoot = node.path.length === 0;
  const operands = leaf ? argumentsOf(leaf) : [];
  const flags = leaf ? flagsOf(leaf) : isRoot ? ROOT_FLAGS : [];
  const sections = [
    isRoot ? summary : commandDescription(summary, description),
    `Usage:\n  ${usageLine(node, operands)}`,
    section('Examples', examples.flatMap(exampleLines)),
    section('Commands', formatRows(subcommandsOf(node))),
    section('Arguments', formatRows(operands.map(({ name, description }) => [name, description]))),
    section(isRoot ? 'Global flags' : 'Flags', formatRows(flagRows(flags))),
    footer(node),
  ];
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

interface HelpTexts {
  readonly summary: string;
  readonly description?: string;
  readonly examples: readonly Example[];
}

function helpTexts(node: Node, leaf: LoadedLeaf | undefined): HelpTexts {
  if (node.path.length === 0) return ROOT;
  if (!leaf) return { summary: node.summary, examples: [] };
  const { summary, description, examples = [] } = leaf.kind === 'operation' ? leaf.versions[0] : leaf.definition;
  return { summary, ...(description && { description }), examples };
}

const ROOT: HelpTexts = {
  summary: 'svc administers a collaboration backend: users, folders, documents, permissions, and webhooks.',
  examples: [
    {
      command: 'svc users add --local --org acme --file examples/users.json',
      caption: 'Import users into the embedded service, without an account',
    },
    {
      command: 'svc profiles add prod --base-url https://api.example.com --api-key K',
      caption: 'Save a connection to a service',
    },
  ],
};

function usageLine({ path, leaf }: Node, operands: readonly ArgumentDefinition[]): string {
  const words = ['svc', ...path];
  if (!leaf) return [...words, '<command>', '[flags]'].join(' ');
  const shown = operands.map(({ name, many, required }) => {
    const whole = many ? `${name}...` : name;
    return required ? `<${whole}>` : `[${whole}]`;
  });
  return [...words, ...shown, '[flags]'].join(' ');
}

function exampleLines({ command, caption }: Example): string[] {
  return [`  # ${caption}`, `  ${command}`];
}

/** Flags as rows; flags without a description are hidden. */
function flagRows(flags: readonly OptionDefinition[]): (readonly [string, string])[] {
  return flags
    .filter(({ description }) => description !== '')
    .map((flag) => [flag.flags.startsWith('--') ? `    ${flag.flags}` : flag.flags, flagDescription(flag)]);
}

const TRAILING_NOTES = /(?: \((?:default: [^()]+|required|repeatable)\))*$/;

/** Description of a flag with its choices, followed by any notes: `output format: table, json (default: table)`. */
export function flagDescription({ description, choices }: OptionDefinition): string {
  if (!choices) return description;
  const [notes = ''] = TRAILING_NOTES.exec(description) ?? [];
  return `${description.slice(0, description.length - notes.length)}: ${choices.join(', ')}${notes}`;
}

/** Summary and details of a command, as one paragraph. */
export function commandDescription(summary: string, details: string | undefined): string {
  return details === undefined ? summary : `${summary}. ${details}`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? [`${title}:`, ...lines].join('\n') : '';
}

function footer(node: Node): string {
  return node.path.length === 0
    ? `Run 'svc help <command>' for the flags and examples of a command.\nHelp topics: ${TOPIC_NAMES.join(', ')} (run 'svc help <topic>').`
    : "Run 'svc --help' for global flags such as --local, --profile, --output, --fields, and --dry-run.";
}
