import { COMMAND_PLACES, GROUPS } from '../../catalog/groups.ts';
import type { OperationName } from '../../catalog/index.ts';
import type { OperationOutline } from '../../catalog/outline.ts';
import type { CommandDefinition } from '../definition.ts';
import type { DefinitionGroup } from './definitions.ts';

export interface ToolOutline extends Pick<CommandDefinition, 'command' | 'summary' | 'isHidden'> {
  /** The group with the definition of the command. */
  readonly group: DefinitionGroup;
}

/** A command or group as plain data. The command runs operations, or it is a tool. */
export interface NodeOutline {
  readonly name: string;
  readonly summary: string;
  readonly isHidden?: boolean | undefined;
  /** The versions of an operation that the command runs. */
  readonly operations?: readonly OperationName[];
  /** The operation, if custom code runs it. */
  readonly runner?: OperationName | undefined;
  /** The group with the definition, if the command is a tool. */
  readonly toolGroup?: DefinitionGroup;
  readonly children: readonly NodeOutline[];
}

type Mutable<Type> = { -readonly [Field in keyof Type]: Type[Field] };
type Draft = Mutable<Omit<NodeOutline, 'children'>> & { readonly children: Draft[] };

/**
 * Creates the outline of all commands. Versions of an operation share a command, with the summary of
 * the first one.
 * @param runners operations that custom code runs
 * @throws TypeError if two commands have the same name
 */
export function createOutline(
  operations: readonly OperationOutline[],
  tools: readonly ToolOutline[],
  runners: readonly OperationName[],
): NodeOutline {
  const root = createGroup('svc');
  for (const [words, summary] of GROUPS) ensureGroup(root, words.split(' ')).summary = summary;
  for (const { name, command, summary } of operations) {
    const node = ensureGroup(root, command);
    if (node.toolGroup) throw createNamesakeError(command);
    if (!node.operations) node.summary = summary;
    node.operations = [...(node.operations ?? []), name];
    node.runner = runners.includes(name) ? name : undefined;
  }
  for (const { command, summary, isHidden, group } of tools) {
    const node = ensureGroup(root, command);
    if (node.toolGroup || node.operations) throw createNamesakeError(command);
    Object.assign(node, { summary, isHidden, toolGroup: group });
  }
  for (const [words, place] of COMMAND_PLACES) moveCommand(root, words.split(' '), place);
  return root;
}

/** Moves a command within its group, if the outline has the command. */
function moveCommand(root: Draft, path: readonly string[], place: 'first' | 'last'): void {
  const { children } = ensureGroup(root, path.slice(0, -1));
  const at = children.findIndex(({ name }) => name === path.at(-1));
  const moved = at < 0 ? [] : children.splice(at, 1);
  children.splice(place === 'first' ? 0 : children.length, 0, ...moved);
}

/** Only one of the commands could run. */
function createNamesakeError(command: readonly string[]): TypeError {
  return new TypeError(`two commands have the name svc ${command.join(' ')}`);
}

function ensureGroup(root: Draft, path: readonly string[]): Draft {
  return path.reduce((node, name) => {
    const known = node.children.find((child) => child.name === name);
    const child = known ?? createGroup(name);
    if (!known) node.children.push(child);
    return child;
  }, root);
}

function createGroup(name: string): Draft {
  return { name, summary: '', children: [] };
}
