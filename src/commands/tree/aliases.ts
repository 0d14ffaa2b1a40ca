import type { Node } from '../definition.ts';

/** Other names of whole commands: the first word, and the path of the command. */
export const SHORTCUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['login', ['profiles', 'add']],
  ['trigger', ['webhooks', 'send']],
]);

/** Other names of groups, besides the singular of a name that ends in `s`. */
const GROUP_ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['organizations', ['organization', 'org', 'orgs']],
  ['activities', ['activity']],
]);

/** Lists other names of a command or group, which help does not show: `user` for `users`, `ls` for `list`. */
export function aliasesOf({ name, path, children }: Node): readonly string[] {
  if (children.size > 0) return path.length > 1 ? [] : (GROUP_ALIASES.get(name) ?? singularOf(name));
  return name === 'list' ? ['ls'] : [];
}

function singularOf(name: string): readonly string[] {
  return name.endsWith('s') ? [name.slice(0, -1)] : [];
}

/** Finds a subcommand by its name, an alias, or, at the root, a shortcut. */
export function findChild(node: Node, word: string): Node | undefined {
  const child = node.children.get(word) ?? [...node.children.values()].find((each) => aliasesOf(each).includes(word));
  return child ?? (node.path.length === 0 ? findByPath(node, SHORTCUTS.get(word)) : undefined);
}

/** Finds the command or group at a path; undefined for an unknown one. */
export function findByPath(root: Node, path: readonly string[] | undefined): Node | undefined {
  return path?.reduce<Node | undefined>((node, word) => node && findChild(node, word), root);
}

/** Lists the shortcuts to the command at a path. */
export function shortcutsTo(path: readonly string[]): readonly string[] {
  return [...SHORTCUTS].filter(([, target]) => target.join(' ') === path.join(' ')).map(([word]) => word);
}
