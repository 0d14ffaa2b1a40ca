import type { Flag } from '../../catalog/flags.ts';
import type { View } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Node, OptionDefinition } from '../definition.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { longName, optionalProperty } from '../options.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from './leaf.ts';

export async function printCommandList(context: Context, program: Node): Promise<void> {
  const printer = await context.printer();
  const tree = {
    ...(await describeNode(program)),
    flags: GLOBAL_FLAGS.map((flag) => describeFlag(flag)),
  };
  await printer.value(tree, { renderText: (view) => commandTable(program, view) });
}

async function describeNode({ name, path, summary, leaf, children }: Node): Promise<object> {
  const own = { name, command: path.join(' '), summary };
  if (leaf) return { ...own, ...describeLeaf(await loadLeaf(leaf)) };
  const described = [...children.values()].filter((child) => child.leaf || child.children.size > 0);
  const commands = await Promise.all(described.map(describeNode));
  return { ...own, commands };
}

function describeLeaf(leaf: LoadedLeaf): object {
  if (leaf.kind === 'tool') {
    const { description, arguments: operands = [] } = leaf.definition;
    return {
      ...optionalProperty('description', description),
      arguments: operands.map(({ description: describes, many = false, ...operand }) => ({
        ...operand,
        describes,
        many,
      })),
      flags: flagsOf(leaf).map((option) => describeFlag(option)),
    };
  }
  const [first] = leaf.versions;
  const { argument } = first;
  const flags = new Map(
    leaf.versions.flatMap((entry) => entry.flags.map((flag) => [flag.name, flag] as const)),
  );
  return {
    ...optionalProperty('description', first.description),
    arguments: argument
      ? [{ name: argument.field, required: true, many: argument.many ?? false }]
      : [],
    flags: flagsOf(leaf).map((option) => describeFlag(option, flags.get(longName(option)))),
    operations: leaf.versions.map(({ name, path, version, ...entry }) => {
      return { name, path, version, auth: entry.auth, effect: entry.effect, paged: entry.paged };
    }),
  };
}

/** A flag definition, such as `-o, --output <format>`. */
const FLAG_SYNTAX = /^(?:-(?<short>\w), )?--[\w-]+(?: <(?<value>.*)>)?$/;

function describeFlag(option: OptionDefinition, flag?: Flag): object {
  const { short, value } = FLAG_SYNTAX.exec(option.flags)?.groups ?? {};
  return {
    name: `--${longName(option)}`,
    ...optionalProperty('short', short && `-${short}`),
    kind: flag?.kind ?? (value === undefined ? 'boolean' : 'text'),
    ...optionalProperty('value', value),
    required: flag ? flag.required && !flag.ofRecord : false,
    repeats: option.many === true,
    ...optionalProperty('choices', option.choices),
    description: option.description,
  };
}

async function commandTable(program: Node, view: View): Promise<string> {
  const { renderTable } = await import('../../output/table.ts');
  const columns = [
    { header: 'COMMAND', field: 'command', kind: 'whole' },
    { header: 'SUMMARY', field: 'summary' },
  ] as const;
  const leaves = [...leavesOf(program)].map(({ path, summary }) => ({
    command: path.join(' '),
    summary,
  }));
  return renderTable(leaves, { ...view, columns });
}

function* leavesOf(node: Node): Generator<Node> {
  if (node.leaf) yield node;
  for (const child of node.children.values()) yield* leavesOf(child);
}
