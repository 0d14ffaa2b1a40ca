import type { Document, Node } from 'yaml';
import type { Position } from '../../bulk/source/source.ts';

export interface SettingsText {
  readonly name: string;
  readonly folder: string;
  readonly text: string;
}

export interface SourceText extends SettingsText {
  readonly document: Document;
  readonly positionOf: (offset: number) => Position;
}

export interface Place {
  readonly source: SourceText;
  readonly node: Node;
}

export type Tree = MapTree | ListTree | ScalarTree;

export interface MapTree {
  readonly kind: 'map';
  readonly place: Place;
  readonly fields: ReadonlyMap<string, Field>;
}

export interface Field {
  readonly key: Place;
  readonly tree: Tree;
}

export interface ListTree {
  readonly kind: 'list';
  readonly place: Place;
  readonly items: readonly Tree[];
}

export interface ScalarTree {
  readonly kind: 'scalar';
  readonly place: Place;
  readonly value: string | number | boolean | null;
  /** The text with references to variables, if they were replaced. */
  readonly template?: string;
  /** The number or switch of the variable that is the whole text. */
  readonly typed?: number | boolean;
}

export function toValue(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(toValue);
  return Object.fromEntries([...tree.fields].map(([name, field]) => [name, toValue(field.tree)]));
}

export function fieldOf(tree: Tree | undefined, name: string): Field | undefined {
  return tree?.kind === 'map' ? tree.fields.get(name) : undefined;
}

export function treeAt(tree: Tree, path: readonly PropertyKey[]): Tree | undefined {
  return path.reduce<Tree | undefined>(childOf, tree);
}

function childOf(tree: Tree | undefined, key: PropertyKey): Tree | undefined {
  return tree?.kind === 'list' ? tree.items[Number(key)] : fieldOf(tree, String(key))?.tree;
}

/** Returns the place of the value at a path, or of the closest value around it. */
export function placeAt(tree: Tree, path: readonly PropertyKey[]): Place {
  let closest = tree;
  for (const key of path) {
    const inner = childOf(closest, key);
    if (!inner) break;
    closest = inner;
  }
  return closest.place;
}

/**
 * Returns a map with other values. Fields that `change` omits are removed. Returns the map itself if
 * nothing changes.
 */
export function withFields(
  tree: MapTree,
  change: (tree: Tree, name: string) => Tree | undefined,
): MapTree {
  const fields = new Map<string, Field>();
  let isSame = true;
  for (const [name, field] of tree.fields) {
    const changed = change(field.tree, name);
    if (changed) fields.set(name, changed === field.tree ? field : { ...field, tree: changed });
    isSame &&= changed === field.tree;
  }
  return isSame ? tree : { ...tree, fields };
}

export function formatPlace({ source, node }: Place): string {
  const { line, column } = source.positionOf(node.range?.[0] ?? 0);
  return `${source.name}:${line}:${column}`;
}

export function textOf({ source, node: { range } }: Place): string {
  return range ? source.text.slice(range[0], range[1]) : '';
}

export class Problems {
  readonly #found = new Map<
    string,
    { readonly source: SourceText; readonly offset: number; readonly text: string }
  >();
  readonly #nodes = new Set<Node>();

  /**
   * @param message the problem, which `path` precedes
   * @param within characters from the start of the place
   */
  add({ source, node }: Place, message: string, { path = '', within = 0 } = {}): void {
    this.#nodes.add(node);
    this.addAt(source, (node.range?.[0] ?? 0) + within, message, path);
  }

  addAt(source: SourceText, offset: number, message: string, path = ''): void {
    const { line, column } = source.positionOf(offset);
    const position = `${source.name}:${line}:${column}`;
    // A value of the chosen environment has two paths.
    const key = `${position}: ${path.slice(path.lastIndexOf('.') + 1)}: ${message}`;
    const text = `${position}: ${path && `${path}: `}${message}`;
    if (!this.#found.has(key)) this.#found.set(key, { source, offset, text });
  }

  /** Whether a value itself has a problem, not only a part of it. */
  has({ node }: Place): boolean {
    return this.#nodes.has(node);
  }

  get texts(): readonly string[] {
    const found = [...this.#found.values()];
    const sources = [...new Set(found.map(({ source }) => source))];
    const sorted = found.sort(
      (a, b) => sources.indexOf(a.source) - sources.indexOf(b.source) || a.offset - b.offset,
    );
    return sorted.map(({ text }) => text);
  }
}
