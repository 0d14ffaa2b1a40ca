import { GROUPS } from '../../catalog/groups.ts';
import type { OperationName } from '../../catalog/index.ts';
import { type OperationOutline, outline } from '../../catalog/outline.ts';
import type { CommandDefinition, Node, OperationRunner } from '../definition.ts';
import { given } from '../option-values.ts';
import { commandList } from './list-definition.ts';
import { runnerOutline, type ToolOutline, toolOutline } from './tool-outline.ts';

/** The tree of all commands. An operation that comes in several versions is one command with `--api-version`. */
export function commandTree(): Node {
  const root = group('svc', []);
  for (const words of GROUPS.keys()) plantGroup(root, words.split(' '));
  for (const operation of outline) plant(root, operation.command, (existing) => operationNode(operation, existing));
  for (const tool of toolOutline) plant(root, tool.command, () => toolNode(tool, () => definitionOf(tool)));
  const list = commandList(commandTree);
  plant(root, list.command, () => toolNode(list, async () => list));
  return root;
}

/** What may follow the name of a group, with what it does: a group without a command has no place among them. */
export function commandsBelow({ path, children }: Node): readonly (readonly [name: string, summary: string])[] {
  const commands = [...children.values()]
    .filter((child) => child.leaf || child.children.size > 0)
    .map(({ name, summary }) => [name, summary] as const);
  return path.length === 0 ? [...commands, ['help', HELP_SUMMARY]] : commands;
}

export const HELP_SUMMARY = 'Show the help of a command, or about a topic';

function plant(root: Node, path: readonly string[], make: (existing: Node | undefined) => Node): void {
  const parent = plantGroup(root, path.slice(0, -1));
  const name = path.at(-1) ?? '';
  parent.children.set(name, make(parent.children.get(name)));
}

/** The group at a path, made where it is missing. */
function plantGroup(root: Node, path: readonly string[]): Node {
  let node = root;
  for (const [depth, name] of path.entries()) {
    const next = node.children.get(name) ?? group(name, path.slice(0, depth + 1));
    node.children.set(name, next);
    node = next;
  }
  return node;
}

function group(name: string, path: readonly string[]): Node {
  return { name, path, summary: GROUPS.get(path.join(' ')) ?? '', children: new Map() };
}

/** A further version of a command keeps the summary of the first. */
function operationNode({ name, command, summary }: OperationOutline, existing: Node | undefined): Node {
  const earlier = existing?.leaf?.kind === 'operation' ? existing.leaf.names : [];
  return {
    name: command.at(-1) ?? '',
    path: command,
    summary: existing?.summary ?? summary,
    leaf: {
      kind: 'operation',
      names: [...earlier, name],
      ...given('runner', runnerOutline.includes(name) ? () => runnerOf(name) : undefined),
    },
    children: new Map(),
  };
}

function toolNode({ command, summary }: ToolOutline, definition: () => Promise<CommandDefinition>): Node {
  return {
    name: command.at(-1) ?? '',
    path: command,
    summary,
    leaf: { kind: 'tool', definition },
    children: new Map(),
  };
}

/** The rest of a tool, which help of a group does not need. */
async function definitionOf({ command }: ToolOutline): Promise<CommandDefinition> {
  const { TOOLS } = await import('./definitions.ts');
  const definition = TOOLS.find((tool) => tool.command.join(' ') === command.join(' '));
  if (!definition) throw new TypeError(`there is no tool ${command.join(' ')}`);
  return definition;
}

async function runnerOf(name: OperationName): Promise<OperationRunner> {
  const { RUNNERS } = await import('./definitions.ts');
  const runner = RUNNERS.find(({ operation }) => operation === name);
  if (!runner) throw new TypeError(`nothing runs ${name}`);
  return runner;
}
