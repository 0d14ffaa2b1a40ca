import { findByPath } from '../tree/aliases.ts';
import { loadLeaf } from '../tree/leaf.ts';
import { commandTree } from '../tree/tree.ts';
import { helpText } from './command-help.ts';
import { ROOT_HELP } from './root-help.ts';

export async function helpForPath(path: readonly string[]): Promise<string | undefined> {
  if (path.length === 0) return ROOT_HELP;
  const node = findByPath(commandTree(), path);
  return node && helpText(node, node.leaf && (await loadLeaf(node.leaf)));
}
