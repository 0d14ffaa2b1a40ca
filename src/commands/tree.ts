import { GROUPS } from '../catalog/groups.ts';
import { type OperationOutline, outline } from '../catalog/outline.ts';
import { RESET_RUNNER } from './auth-tokens/commands.ts';
import { COMPLETION_COMMANDS } from './completion/commands.ts';
import type { CommandDefinition, Node, OperationRunner } from './definition.ts';
import { DOCTOR_COMMAND } from './doctor/commands.ts';
import { HISTORY_COMMANDS } from './history/commands.ts';
import { JOB_COMMANDS } from './jobs/commands.ts';
import { LOCAL_COMMANDS } from './local/commands.ts';
import { given } from './option-values.ts';
import { PROFILE_COMMANDS } from './profiles/commands.ts';
import { SERVE_COMMANDS } from './serve/commands.ts';
import { SETUP_COMMANDS } from './setup/commands.ts';
import { commandList, TOOL_COMMANDS } from './tools/commands.ts';
import { VALIDATE_COMMANDS } from './validate/commands.ts';
import { WEBHOOK_COMMANDS } from './webhooks/commands.ts';

const TOOLS: readonly CommandDefinition[] = [
  ...PROFILE_COMMANDS,
  ...HISTORY_COMMANDS,
  DOCTOR_COMMAND,
  ...SERVE_COMMANDS,
  ...LOCAL_COMMANDS,
  ...JOB_COMMANDS,
  ...TOOL_COMMANDS,
  ...VALIDATE_COMMANDS,
  ...COMPLETION_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...SETUP_COMMANDS,
  commandList(commandTree),
];

const RUNNERS: readonly OperationRunner[] = [RESET_RUNNER];

/** The tree of all commands. An operation that comes in several versions is one command with `--api-version`. */
export function commandTree(): Node {
  const root = group('svc', []);
  for (const words of GROUPS.keys()) plantGroup(root, words.split(' '));
  for (const operation of outline) plant(root, operation.command, (existing) => operationNode(operation, existing));
  for (const definition of TOOLS) plant(root, definition.command, () => toolNode(definition));
  return root;
}

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
      ...given(
        'runner',
        RUNNERS.find(({ operation }) => operation === name),
      ),
    },
    children: new Map(),
  };
}

function toolNode(definition: CommandDefinition): Node {
  return {
    name: definition.command.at(-1) ?? '',
    path: definition.command,
    summary: definition.summary,
    leaf: { kind: 'tool', definition },
    children: new Map(),
  };
}
