import { loadLeaf } from '../tree/leaf.ts';
import { commandTree } from '../tree/tree.ts';
import { helpText } from './command-help.ts';

/** The help of the command or group at a path; undefined where there is none. It needs no command line to be read. */
export async function helpAt(path: readonly string[]): Promise<string | undefined> {
  let node = commandTree();
  for (const word of path) {
    const child = node.children.get(word);
    if (!child) return undefined;
    node = child;
  }
  return helpText(node, node.leaf && (await loadLeaf(node.leaf)));
}
