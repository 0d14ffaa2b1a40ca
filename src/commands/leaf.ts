import type { OperationEntry } from '../catalog/manifest.ts';
import type { CommandDefinition, Leaf, OperationRunner, OptionDefinition } from './definition.ts';
import { operationFlags } from './operation-flags.ts';
import { given } from './option-values.ts';

/** A command with all that is known of it: the operations it stands for, by version, or the tool. */
export type LoadedLeaf =
  | {
      readonly kind: 'operation';
      readonly versions: readonly [OperationEntry, ...OperationEntry[]];
      readonly runner?: OperationRunner;
    }
  | { readonly kind: 'tool'; readonly definition: CommandDefinition };

/** Brings in what the tree leaves out: the flags, examples and paths of operations. */
export async function loadLeaf(leaf: Leaf): Promise<LoadedLeaf> {
  if (leaf.kind === 'tool') return leaf;
  const { manifest } = await import('../catalog/manifest.ts');
  const [first, ...others] = manifest.filter(({ name }) => leaf.names.includes(name));
  if (!first) throw new TypeError(`the catalog has no ${leaf.names.join(', ')}`);
  return { kind: 'operation', versions: [first, ...others], ...given('runner', leaf.runner) };
}

/** Every flag that a command takes besides the global ones. */
export function flagsOf(leaf: LoadedLeaf): readonly OptionDefinition[] {
  if (leaf.kind === 'tool') return leaf.definition.options ?? [];
  return [...operationFlags(leaf.versions), ...(leaf.runner?.options ?? [])];
}
