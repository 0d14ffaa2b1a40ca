import type { OperationName } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { ArgumentDefinition, CommandDefinition, Leaf, OperationRunner, OptionDefinition } from '../definition.ts';
import { optionalProperty } from '../option-values.ts';
import { operationFlags } from './operation-flags.ts';

/** A command with its full definition: the versions of an operation, or a tool. */
export type LoadedLeaf =
  | {
      readonly kind: 'operation';
      readonly versions: readonly [OperationEntry, ...OperationEntry[]];
      readonly runner?: OperationRunner;
    }
  | {
      readonly kind: 'tool';
      readonly definition: CommandDefinition;
      /** Operation whose flags the tool also takes. */
      readonly operation?: OperationEntry;
    };

/** Loads the parts of a command that the tree omits: flags, examples, and paths of operations. */
export async function loadLeaf(leaf: Leaf): Promise<LoadedLeaf> {
  if (leaf.kind === 'tool') {
    const definition = await leaf.definition();
    const { flagsOf: name } = definition;
    return { kind: 'tool', definition, ...optionalProperty('operation', name && (await loadEntries([name]))[0]) };
  }
  const [first, ...others] = await loadEntries(leaf.names);
  return { kind: 'operation', versions: [first, ...others], ...optionalProperty('runner', await leaf.runner?.()) };
}

async function loadEntries(names: readonly OperationName[]): Promise<readonly [OperationEntry, ...OperationEntry[]]> {
  const { serializedOperations } = await import('../../catalog/serialized-operations.ts');
  const [first, ...others] = names.map((name): OperationEntry => JSON.parse(serializedOperations[name]));
  if (!first) throw new TypeError('a command needs at least one operation');
  return [first, ...others];
}

/** Lists the flags of a command, without the global flags. */
export function flagsOf(leaf: LoadedLeaf): readonly OptionDefinition[] {
  if (leaf.kind === 'tool') {
    return [
      ...(leaf.operation ? operationFlags([withoutRequiredFlags(leaf.operation)]) : []),
      ...(leaf.definition.options ?? []),
    ];
  }
  return [...operationFlags(leaf.versions), ...(leaf.runner?.options ?? [])];
}

/** Lists the positional arguments of a command. */
export function argumentsOf(leaf: LoadedLeaf): readonly ArgumentDefinition[] {
  if (leaf.kind === 'tool') return leaf.definition.arguments ?? [];
  const { argument } = leaf.versions[0];
  // Not required here: the value may come from `--data`, and the input check reports a missing value.
  return argument
    ? [{ name: argument.field, description: '', required: false, ...optionalProperty('many', argument.many) }]
    : [];
}

/** Makes all flags optional: a tool with an operation's flags prompts for missing values. */
function withoutRequiredFlags(entry: OperationEntry): OperationEntry {
  return { ...entry, flags: entry.flags.map((flag) => ({ ...flag, required: false })) };
}
