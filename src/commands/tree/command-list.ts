import type { Flag } from '../../catalog/flags.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { View } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { given } from '../option-values.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from './leaf.ts';

/** Prints every command: as a tree of plain data, or in words one a line. */
export async function listCommands(context: Context, program: Node): Promise<void> {
  const printer = await context.printer();
  const tree = { ...(await describeNode(program)), flags: GLOBAL_FLAGS.map((flag) => describeFlag(flag)) };
  await printer.value(tree, { drawing: (view) => listing(program, view) });
}

interface Described {
  readonly name: string;
  readonly summary: string;
  readonly [property: string]: unknown;
}

async function describeNode({ name, path, summary, leaf, children }: Node): Promise<Described> {
  const own = { name, command: path.join(' '), summary };
  if (leaf) return { ...own, ...describeLeaf(await loadLeaf(leaf)) };
  const commands = await Promise.all([...children.values()].filter(isUsed).map(describeNode));
  return { ...own, commands };
}

function isUsed({ leaf, children }: Node): boolean {
  return leaf !== undefined || children.size > 0;
}

function describeLeaf(leaf: LoadedLeaf): object {
  if (leaf.kind === 'tool') {
    const { description, arguments: operands = [] } = leaf.definition;
    return {
      ...given('description', description),
      arguments: operands.map(({ many = false, ...operand }) => ({ ...operand, many })),
      flags: flagsOf(leaf).map((option) => describeFlag(option)),
    };
  }
  const [first] = leaf.versions;
  const { argument } = first;
  const flags = new Map(leaf.versions.flatMap((entry) => entry.flags.map((flag) => [flag.name, flag] as const)));
  return {
    ...given('description', first.description),
    arguments: argument ? [{ name: argument.field, required: true, many: argument.many ?? false }] : [],
    flags: flagsOf(leaf).map((option) => describeFlag(option, flags.get(longName(option)))),
    operations: leaf.versions.map(describeOperation),
  };
}

function describeOperation({ name, path, version, auth, effect, paged }: OperationEntry): object {
  return { name, path, version, auth, effect, paged };
}

/** `-o, --output <format>` */
const WRITTEN = /^(?:-(?<short>\w), )?--(?<name>[\w-]+)(?: <(?<value>.*)>)?$/;

function longName({ flags }: OptionDefinition): string {
  return WRITTEN.exec(flags)?.groups?.['name'] ?? flags;
}

function describeFlag(option: OptionDefinition, flag?: Flag): object {
  const { short, value } = WRITTEN.exec(option.flags)?.groups ?? {};
  return {
    name: `--${longName(option)}`,
    ...given('short', short && `-${short}`),
    kind: flag?.kind ?? (value === undefined ? 'boolean' : 'text'),
    ...given('value', value),
    required: flag ? flag.required && !flag.ofRecord : false,
    repeats: option.many === true,
    ...given('choices', option.choices),
    description: option.describes,
  };
}

async function listing(program: Node, view: View): Promise<string> {
  const { tableText } = await import('../../output/table.ts');
  const columns = [
    { header: 'COMMAND', field: 'command', kind: 'whole' },
    { header: 'SUMMARY', field: 'summary' },
  ] as const;
  const leaves = [...leavesOf(program)].map(({ path, summary }) => ({ command: path.join(' '), summary }));
  return tableText(leaves, { ...view, columns });
}

function* leavesOf(node: Node): Generator<Node> {
  if (node.leaf) yield node;
  for (const child of node.children.values()) yield* leavesOf(child);
}
