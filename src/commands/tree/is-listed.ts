import type { Node } from '../definition.ts';

/** Whether a command, or any command of a group, is in lists of commands. */
export function isListed({ leaf, isHidden, children }: Node): boolean {
  return (leaf !== undefined && !isHidden) || [...children.values()].some(isListed);
}
