import type { GlobalFlagGroup } from '../definition.ts';
import { GLOBAL_FLAG_GROUPS } from '../global-flags.ts';
import { longName } from '../options.ts';
import { flagsOf, type LoadedLeaf } from './leaf.ts';

const GROUPED: ReadonlySet<string> = new Set(Object.values(GLOBAL_FLAG_GROUPS).flat());

/**
 * Creates a predicate for the global flags that a command accepts, by long name without dashes:
 * `base-url`. A command may define a global flag itself, to describe it differently; its value is
 * still that of the global flag.
 */
export function honoredFlagsOf(leaf: LoadedLeaf): (name: string) => boolean {
  const own = flagsOf(leaf).map(longName);
  const honored = new Set([
    ...groupsOf(leaf).flatMap((group) => GLOBAL_FLAG_GROUPS[group]),
    ...own,
  ]);
  return (name) => honored.has(name) || !GROUPED.has(name);
}

export function isLocalOnly(leaf: LoadedLeaf): boolean {
  const groups = groupsOf(leaf);
  return groups.includes('local') && !groups.includes('profile');
}

function groupsOf(leaf: LoadedLeaf): readonly GlobalFlagGroup[] {
  if (leaf.kind === 'tool') return leaf.definition.globalFlags;
  return [
    'service',
    'result',
    'dry-run',
    ...(leaf.versions[0].bulk === 'array' ? [] : (['envelope'] as const)),
  ];
}
