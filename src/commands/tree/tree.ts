import { GROUPS } from '../../catalog/groups.ts';
import type { OperationName } from '../../catalog/index.ts';
import { outline } from '../../catalog/outline.ts';
import {
  type CommandDefinition,
  defineCommand,
  type Leaf,
  type Node,
  type OperationRunner,
} from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { isListed } from './is-listed.ts';
import { runnerOutline, type ToolOutline, toolOutline } from './tool-outline.ts';

/**
 * Creates the tree of all commands. Versions of an operation share a command.
 * @throws TypeError if two commands have the same name
 */
export function commandTree(tools: readonly ToolOutline[] = toolOutline): Node {
  const root = createGroup('svc', []);
  for (const words of GROUPS.keys()) ensureGroup(root, words.split(' '));
  for (const operation of outline) {
    const { name } = operation;
    const runner = runnerOutline.includes(name) ? () => loadRunner(name) : undefined;
    addLeaf(root, operation, (existing) => ({
      kind: 'operation',
      names: [...(existing?.kind === 'operation' ? existing.names : []), name],
      ...optionalProperty('runner', runner),
    }));
  }
  for (const tool of tools)
    addLeaf(root, tool, () => ({ kind: 'tool', definition: () => loadDefinition(tool) }));
  addLeaf(root, LIST_COMMAND, () => ({ kind: 'tool', definition: async () => LIST_COMMAND }));
  return root;
}

const LIST_COMMAND: CommandDefinition = defineCommand({
  command: ['commands'],
  globalFlags: ['result'],
  summary: 'List every command, or describe one with its flags',
  description:
    'With a command, describes only that command: its flags with their types, its effect, whether it asks for confirmation, the fields of its result, and an example. --compact prints one line per command, for agents.',
  examples: {
    'svc commands --compact': 'print one line per command',
    'svc commands users add -o json': 'describe one command as JSON',
    'svc commands -o json': 'print the command tree as JSON',
  },
  arguments: [
    {
      name: 'command',
      description: 'command to describe (default: all)',
      required: false,
      many: true,
    },
  ],
  options: [{ flags: '--compact', description: 'print one line per command' }],
  load: async () => {
    const { printCommands } = await import('./command-list.ts');
    return (context, { arguments: words, options }) =>
      printCommands(context, commandTree(), words, options.compact === true);
  },
});

export function subcommandsOf({
  path,
  children,
}: Node): readonly (readonly [name: string, summary: string])[] {
  const commands = [...children.values()]
    .filter(isListed)
    .map(({ name, summary }) => [name, summary] as const);
  return path.length === 0 ? [...commands, ['help', HELP_SUMMARY]] : commands;
}

export const HELP_SUMMARY = 'Show help for a command or topic';

/**
 * Adds a command. An existing version of it keeps its summary.
 * @throws TypeError if another command has the name, because only one of them could run
 */
function addLeaf(
  root: Node,
  { command, summary, isHidden }: ToolOutline,
  createLeaf: (existing: Leaf | undefined) => Leaf,
): void {
  const { children } = ensureGroup(root, command.slice(0, -1));
  const name = command.at(-1) ?? '';
  const existing = children.get(name);
  const leaf = createLeaf(existing?.leaf);
  const leaves = existing?.leaf ? [existing.leaf, leaf] : [leaf];
  if (leaves.length > 1 && leaves.some(({ kind }) => kind === 'tool'))
    throw new TypeError(`two commands have the name svc ${command.join(' ')}`);
  const shown = existing?.leaf ? existing.summary : summary;
  children.set(name, {
    name,
    path: command,
    summary: shown,
    leaf,
    ...optionalProperty('isHidden', isHidden),
    children: existing?.children ?? new Map(),
  });
}

function ensureGroup(root: Node, path: readonly string[]): Node {
  let node = root;
  for (const [depth, name] of path.entries()) {
    const next = node.children.get(name) ?? createGroup(name, path.slice(0, depth + 1));
    node.children.set(name, next);
    node = next;
  }
  return node;
}

function createGroup(name: string, path: readonly string[]): Node {
  return { name, path, summary: GROUPS.get(path.join(' ')) ?? '', children: new Map() };
}

async function loadDefinition({ command }: ToolOutline): Promise<CommandDefinition> {
  const { TOOLS } = await import('./definitions.ts');
  const definition = TOOLS.find((tool) => tool.command.join(' ') === command.join(' '));
  if (!definition) throw new TypeError(`unknown tool ${command.join(' ')}`);
  return definition;
}

async function loadRunner(name: OperationName): Promise<OperationRunner> {
  const { RUNNERS } = await import('./definitions.ts');
  const runner = RUNNERS.find(({ operation }) => operation === name);
  if (!runner) throw new TypeError(`unknown runner ${name}`);
  return runner;
}
