import type { OperationName } from '../../catalog/index.ts';
import {
  type CommandDefinition,
  defineCommand,
  isListed,
  type Leaf,
  type Node,
  type OperationRunner,
} from '../definition.ts';
import { optionalProperty } from '../options.ts';
import type { NodeOutline } from './create-outline.ts';
import type { DefinitionGroup } from './definitions.ts';
import { treeOutline } from './tree-outline.ts';

/**
 * Creates the tree of all commands. Creates the children of a node on first use.
 * @throws TypeError if two commands have the same name
 */
export function commandTree(outline: NodeOutline = treeOutline): Node {
  const root = createNode(outline, []);
  const { command, summary } = LIST_COMMAND;
  const [name] = command;
  if (root.children.has(name)) throw new TypeError(`two commands have the name svc ${name}`);
  root.children.set(name, {
    ...createNode({ name, summary, children: [] }, command),
    leaf: { kind: 'tool', definition: async () => LIST_COMMAND },
  });
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

function createNode(outline: NodeOutline, path: readonly string[]): Node {
  const { name, summary, isHidden } = outline;
  let children: Map<string, Node> | undefined;
  return {
    name,
    path,
    summary,
    isGroup: outline.children.length > 0,
    ...optionalProperty('leaf', createLeaf(outline, path)),
    ...optionalProperty('isHidden', isHidden),
    get children() {
      children ??= new Map(
        outline.children.map((child) => [child.name, createNode(child, [...path, child.name])]),
      );
      return children;
    },
  };
}

function createLeaf(
  { operations, runner, toolGroup }: NodeOutline,
  path: readonly string[],
): Leaf | undefined {
  if (toolGroup) return { kind: 'tool', definition: () => loadDefinition(toolGroup, path) };
  if (!operations) return undefined;
  const load = runner && (() => loadRunner(runner));
  return { kind: 'operation', names: operations, ...optionalProperty('runner', load) };
}

async function loadDefinition(
  group: DefinitionGroup,
  path: readonly string[],
): Promise<CommandDefinition> {
  const { DEFINITIONS } = await import('./definitions.ts');
  const tools: readonly CommandDefinition[] = await DEFINITIONS[group]();
  const definition = tools.find((tool) => tool.command.join(' ') === path.join(' '));
  if (!definition) throw new TypeError(`unknown tool ${path.join(' ')}`);
  return definition;
}

async function loadRunner(name: OperationName): Promise<OperationRunner> {
  const { loadRunners } = await import('./definitions.ts');
  const runner = (await loadRunners()).find(({ operation }) => operation === name);
  if (!runner) throw new TypeError(`unknown runner ${name}`);
  return runner;
}
