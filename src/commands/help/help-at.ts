import { findByPath } from '../tree/aliases.ts';
import { loadLeaf } from '../tree/leaf.ts';
import { commandTree } from '../tree/tree.ts';
import { helpText } from './command-help.ts';

/** Help of the command or group at a path; undefined for an unknown path. Does not parse a command line. */
export async function helpForPath(path: readonly string[]): Promise<string | undefined> {
  const node = findByPath(commandTree(), path);
  return node && helpText(node, node.leaf && (await loadLeaf(node.leaf)));
}
