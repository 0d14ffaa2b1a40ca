import { findNearest } from '../../kernel/nearest.ts';
import type { Node } from '../definition.ts';
import { findChild } from './aliases.ts';

/**
 * Completes mistyped words to the path of a command or group: `usres ad` becomes `users add`. Stops
 * before the first word that no name resembles, such as a flag.
 * @param others names besides those of the children of `node` that the first word may mean
 */
export function findNearestPath(
  node: Node,
  [word, ...rest]: readonly string[],
  others: readonly string[] = [],
): readonly string[] {
  if (word === undefined || word.startsWith('-')) return [];
  const known = findChild(node, word);
  const name = known ? known.name : findNearest(word, [...node.children.keys(), ...others]);
  if (name === undefined) return [];
  const child = known ?? node.children.get(name);
  return [
    known && !node.children.has(name) ? word : name,
    ...(child ? findNearestPath(child, rest) : []),
  ];
}
