import type { Flag } from '../../catalog/flags.ts';
import { isHarmless } from '../../catalog/harmless.ts';
import { manifest } from '../../catalog/manifest.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { View } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Node, OptionDefinition } from '../definition.ts';
import { isListed } from '../definition.ts';
import { GLOBAL_FLAGS } from '../global-flags.ts';
import { longName, optionalProperty } from '../options.ts';
import { findChild } from './aliases.ts';
import { describeCommand } from './describe-command.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from './leaf.ts';
import { findNearestPath } from './nearest-path.ts';

/** Prints all commands, or one. @throws SvcError `usage` for an unknown command */
export async function printCommands(
  context: Context,
  program: Node,
  words: readonly string[],
  compact: boolean,
): Promise<void> {
  if (words.length > 0) return printDescriptor(context, findNode(program, words));
  return compact ? printMap(context, program) : printTree(context, program);
}

function findNode(program: Node, words: readonly string[]): Node {
  let node = program;
  const [first, ...others] = words.flatMap((each) => each.split(' '));
  const path = first === 'svc' ? others : [first ?? '', ...others];
  for (const word of path) {
    const child = findChild(node, word);
    if (!child) throw createUnknownCommandError(program, path);
    node = child;
  }
  return node;
}

function createUnknownCommandError(program: Node, path: readonly string[]): SvcError {
  const nearest = findNearestPath(program, path);
  return new SvcError('usage', `unknown command '${path.join(' ')}'`, {
    hint:
      nearest.length === 0
        ? hint`to list the commands, run ${step('inspect', 'commands', '--compact')}`
        : hint`did you mean '${step('inspect', 'commands', ...nearest)}'?`,
  });
}

async function printDescriptor(context: Context, node: Node): Promise<void> {
  const printer = await context.printer();
  const described = node.leaf ? await describeCommand(node, node.leaf) : await describeNode(node);
  await printer.value(described, {
    renderText: () => `${JSON.stringify(described, null, 2)}\n`,
  });
}

/** Prints one line per command. A sign after the name marks a command that writes. */
async function printMap(context: Context, program: Node): Promise<void> {
  const writes = new Set(
    manifest.filter((entry) => !isHarmless(entry)).map(({ command }) => command.join(' ')),
  );
  const map = [...leavesOf(program)].map(({ path, summary }): [string, string] => {
    const command = path.join(' ');
    return [writes.has(command) ? `${command} *` : command, summary];
  });
  const printer = await context.printer();
  await printer.value(Object.fromEntries(map), {
    renderText: () => map.map(([command, summary]) => `${command}: ${summary}\n`).join(''),
  });
}

async function printTree(context: Context, program: Node): Promise<void> {
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
  const described = [...children.values()].filter(isListed);
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
    required: option.required === true,
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
  if (node.leaf && !node.isHidden) yield node;
  for (const child of node.children.values()) yield* leavesOf(child);
}
