import type { Node } from '../definition.ts';

export const SHORTCUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['login', ['profiles', 'add']],
  ['trigger', ['webhooks', 'send']],
]);

/** Aliases of groups, besides the singular of the name. */
const GROUP_ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['organizations', ['organization', 'org', 'orgs']],
  ['activities', ['activity']],
]);

/**
 * Lists the aliases of a command or group, such as `user` for `users` and `ls` for `list`. Help
 * does not show them.
 */
export function aliasesOf({ name, path, isGroup }: Node): readonly string[] {
  if (!isGroup) return name === 'list' ? ['ls'] : [];
  return path.length > 1 ? [] : aliasesOfGroup(name);
}

/** Lists the aliases of a group of the root. */
export function aliasesOfGroup(name: string): readonly string[] {
  return GROUP_ALIASES.get(name) ?? (name.endsWith('s') ? [name.slice(0, -1)] : []);
}

/** Finds a subcommand by its name or an alias. At the root, also finds shortcuts. */
export function findChild(node: Node, word: string): Node | undefined {
  const child =
    node.children.get(word) ??
    [...node.children.values()].find((each) => aliasesOf(each).includes(word));
  return child ?? (node.path.length === 0 ? findByPath(node, SHORTCUTS.get(word)) : undefined);
}

export function findByPath(root: Node, path: readonly string[] | undefined): Node | undefined {
  return path?.reduce<Node | undefined>((node, word) => node && findChild(node, word), root);
}

export function findShortcuts(path: readonly string[]): readonly string[] {
  return [...SHORTCUTS]
    .filter(([, target]) => target.join(' ') === path.join(' '))
    .map(([word]) => word);
}
