import type { Examples } from '../../src/catalog/define.ts';
import type { Node } from '../../src/commands/definition.ts';
import type { HelpRow } from '../../src/commands/help/blocks.ts';
import { createFlagRows } from '../../src/commands/help/flag-rows.ts';
import { flagsOf, type LoadedLeaf, loadLeaf } from '../../src/commands/tree/leaf.ts';
import { commandTree } from '../../src/commands/tree/tree.ts';
import { operationShape, type Shape } from './result-shapes.ts';
import { SUMMARY, TOOL_RESULTS } from './tool-results.ts';

/** A command with everything that the reference prints about it. */
export interface DescribedCommand {
  readonly words: readonly string[];
  /** Such as `svc users data [flags]`. Optional arguments are in brackets. */
  readonly usage: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly examples: Examples;
  readonly flags: readonly HelpRow[];
  /** The shape of the result with `-o json`; `undefined` if the command prints no JSON. */
  readonly result: Shape | undefined;
}

/**
 * The commands that share a first word, such as `users`. A one-word command is a group of its own.
 */
export interface DescribedGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly DescribedCommand[];
}

export async function describedGroups(): Promise<readonly DescribedGroup[]> {
  const groups = [...commandTree().children.values()];
  const described = await Promise.all(
    groups.map(async (node) => ({
      name: node.name,
      summary: node.summary,
      commands: await commandsBelow(node),
    })),
  );
  return described.filter(({ commands }) => commands.length > 0);
}

async function commandsBelow(node: Node): Promise<readonly DescribedCommand[]> {
  const own = node.leaf && !node.isHidden ? [await describe(node, await loadLeaf(node.leaf))] : [];
  const inner = await Promise.all([...node.children.values()].map(commandsBelow));
  return [...own, ...inner.flat()];
}

async function describe({ path, summary }: Node, leaf: LoadedLeaf): Promise<DescribedCommand> {
  const { description, examples = {} } =
    leaf.kind === 'operation' ? leaf.versions[0] : leaf.definition;
  const usage = ['svc', ...path, ...argumentsOf(leaf), '[flags]'].join(' ');
  return {
    words: path,
    usage,
    summary,
    description,
    examples,
    flags: createFlagRows(flagsOf(leaf)),
    result: await resultOf(path, leaf),
  };
}

async function resultOf(path: readonly string[], leaf: LoadedLeaf): Promise<Shape | undefined> {
  if (leaf.kind === 'operation') return (await operationShape(leaf.versions[0])) ?? SUMMARY;
  return TOOL_RESULTS[path.join(' ')];
}

function argumentsOf(leaf: LoadedLeaf): readonly string[] {
  if (leaf.kind === 'operation') {
    const { argument } = leaf.versions[0];
    return argument ? [`<${argument.field}>${argument.many ? '...' : ''}`] : [];
  }
  return (leaf.definition.arguments ?? []).map(({ name, required, many }) => {
    const shown = many ? `${name}...` : name;
    return required ? `<${shown}>` : `[${shown}]`;
  });
}
