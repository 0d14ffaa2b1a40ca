import { GROUPS } from '../../catalog/groups.ts';
import type { OperationName } from '../../catalog/index.ts';
import { type OperationOutline, outline } from '../../catalog/outline.ts';
import type { CommandDefinition, Node, OperationRunner } from '../definition.ts';
import { optionalProperty } from '../option-values.ts';
import { runnerOutline, type ToolOutline, toolOutline } from './tool-outline.ts';

/** Creates the tree of all commands. Versions of an operation share a command. */
export function commandTree(): Node {
  const root = createGroup('svc', []);
  for (const words of GROUPS.keys()) ensureGroup(root, words.split(' '));
  for (const operation of outline) addNode(root, operation.command, (existing) => createOperationNode(operation, existing));
  for (const tool of toolOutline) addNode(root, tool.command, () => createToolNode(tool, () => loadDefinition(tool)));
  addNode(root, LIST_COMMAND.command, () => createToolNode(LIST_COMMAND, async () => LIST_COMMAND));
  return root;
}

const LIST_COMMAND: CommandDefinition = {
  command: ['commands'],
  globalFlags: ['result'],
  summary: 'List every command with its flags',
  examples: { 'svc commands -o json': 'print the command tree as JSON' },
  load: async () => {
    const { printCommandList } = await import('./command-list.ts');
    return (context) => printCommandList(context, commandTree());
  },
};

export function subcommandsOf({ path, children }: Node): readonly (readonly [name: string, summary: string])[] {
  const commands = [...children.values()]
    .filter((child) => child.leaf || child.children.size > 0)
    .map(({ name, summary }) => [name, summary] as const);
  return path.length === 0 ? [...commands, ['help', HELP_SUMMARY]] : commands;
}

export const HELP_SUMMARY = 'Show help for a command or topic';

function addNode(root: Node, path: readonly string[], make: (existing: Node | undefined) => Node): void {
  const parent = ensureGroup(root, path.slice(0, -1));
  const name = path.at(-1) ?? '';
  parent.children.set(name, make(parent.children.get(name)));
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

/** Creates the node of an operation. If there are several versions, the node has the summary of the first. */
function createOperationNode({ name, command, summary }: OperationOutline, existing: Node | undefined): Node {
  const earlier = existing?.leaf?.kind === 'operation' ? existing.leaf.names : [];
  return {
    name: command.at(-1) ?? '',
    path: command,
    summary: existing?.summary ?? summary,
    leaf: {
      kind: 'operation',
      names: [...earlier, name],
      ...optionalProperty('runner', runnerOutline.includes(name) ? () => loadRunner(name) : undefined),
    },
    children: new Map(),
  };
}

function createToolNode({ command, summary }: ToolOutline, definition: () => Promise<CommandDefinition>): Node {
  return { name: command.at(-1) ?? '', path: command, summary, leaf: { kind: 'tool', definition }, children: new Map() };
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
