import type { OperationName } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { ArgumentDefinition, CommandDefinition, Leaf, OperationRunner, OptionDefinition } from '../definition.ts';
import { given } from '../option-values.ts';
import { operationFlags } from './operation-flags.ts';

/** A command with all that is known of it: the operations it stands for, by version, or the tool. */
export type LoadedLeaf =
  | {
      readonly kind: 'operation';
      readonly versions: readonly [OperationEntry, ...OperationEntry[]];
      readonly runner?: OperationRunner;
    }
  | {
      readonly kind: 'tool';
      readonly definition: CommandDefinition;
      /** The operation whose flags it takes. */
      readonly operation?: OperationEntry;
    };

/** Brings in what the tree leaves out: the flags, examples and paths of operations. */
export async function loadLeaf(leaf: Leaf): Promise<LoadedLeaf> {
  if (leaf.kind === 'tool') {
    const definition = await leaf.definition();
    const { flagsOf: name } = definition;
    return { kind: 'tool', definition, ...given('operation', name && (await entriesOf([name]))[0]) };
  }
  const [first, ...others] = await entriesOf(leaf.names);
  return { kind: 'operation', versions: [first, ...others], ...given('runner', await leaf.runner?.()) };
}

async function entriesOf(names: readonly OperationName[]): Promise<readonly [OperationEntry, ...OperationEntry[]]> {
  const { manifestTexts } = await import('../../catalog/manifest-texts.ts');
  const [first, ...others] = names.map((name): OperationEntry => JSON.parse(manifestTexts[name]));
  if (!first) throw new TypeError('a command stands for an operation at least');
  return [first, ...others];
}

/** Every flag that a command takes besides the global ones. */
export function flagsOf(leaf: LoadedLeaf): readonly OptionDefinition[] {
  if (leaf.kind === 'tool') {
    return [...(leaf.operation ? operationFlags([optional(leaf.operation)]) : []), ...(leaf.definition.options ?? [])];
  }
  return [...operationFlags(leaf.versions), ...(leaf.runner?.options ?? [])];
}

/** The words that a command takes besides its flags. */
export function argumentsOf(leaf: LoadedLeaf): readonly ArgumentDefinition[] {
  if (leaf.kind === 'tool') return leaf.definition.arguments ?? [];
  const { argument } = leaf.versions[0];
  // Not required here: the value may come in `--data`, and the check of the input names it when it is missing.
  return argument ? [{ name: argument.field, describes: '', required: false, ...given('many', argument.many) }] : [];
}

/** A tool that takes an operation's flags asks for what is missing. */
function optional(entry: OperationEntry): OperationEntry {
  return { ...entry, flags: entry.flags.map((flag) => ({ ...flag, required: false })) };
}
