import type { OperationName } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { ArgumentDefinition, CommandDefinition, Leaf, OperationRunner, OptionDefinition } from '../definition.ts';
import { optionalProperty } from '../option-values.ts';
import { operationFlags } from './operation-flags.ts';

/** A command with its complete definition. */
export type LoadedLeaf =
  | {
      readonly kind: 'operation';
      readonly versions: readonly [OperationEntry, ...OperationEntry[]];
      readonly runner?: OperationRunner;
    }
  | {
      readonly kind: 'tool';
      readonly definition: CommandDefinition;
      /** Operation whose flags the tool also accepts. */
      readonly operation?: OperationEntry;
    };

/** Loads the complete definition of a command. */
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

/** Lists the flags of a command, except for global flags. */
export function flagsOf(leaf: LoadedLeaf): readonly OptionDefinition[] {
  if (leaf.kind === 'tool') {
    return [
      ...(leaf.operation ? operationFlags([withoutRequiredFlags(leaf.operation)]) : []),
      ...(leaf.definition.options ?? []),
    ];
  }
  return [...operationFlags(leaf.versions), ...(leaf.runner?.options ?? [])];
}

export function argumentsOf(leaf: LoadedLeaf): readonly ArgumentDefinition[] {
  if (leaf.kind === 'tool') return leaf.definition.arguments ?? [];
  const { argument } = leaf.versions[0];
  // The value may come from `--data`. The check of the input reports a missing value.
  return argument
    ? [{ name: argument.field, description: '', required: false, ...optionalProperty('many', argument.many) }]
    : [];
}

/** Makes all flags optional, because the tool prompts for missing values. */
function withoutRequiredFlags(entry: OperationEntry): OperationEntry {
  return { ...entry, flags: entry.flags.map((flag) => ({ ...flag, required: false })) };
}
