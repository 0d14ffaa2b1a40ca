import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { formatDocument } from '../file/render.ts';
import type { SourceText } from '../file/tree.ts';

type Collection = YAMLMap<Node, Node | null> | YAMLSeq<Node>;
type Entry = Node | Pair<Node, Node | null>;

interface Parent {
  readonly collection: Collection;
  readonly entry: Entry;
}

/** A value cannot be edited without changing others. */
export class UnsupportedEdit extends Error {}

/** Edits the document of a settings file. Comments, order, and anchors stay. */
export class DocumentEditor {
  readonly #source: SourceText;
  readonly #document: Document;
  readonly #parents = new Map<Node, Parent>();
  readonly #removed = new Map<Collection, Set<Entry>>();
  #isEdited = false;

  constructor(source: SourceText) {
    this.#source = source;
    this.#document = source.document;
    this.#collectParents(source.document.contents);
  }

  /**
   * Returns the names that lead from the top of the file to a node: a value, or the name of a
   * field. An item of a list has no name.
   */
  namesOf(node: Node): readonly (string | undefined)[] {
    const parent = this.#parents.get(node);
    if (!parent) return [];
    const { collection, entry } = parent;
    const name = 'key' in entry && isScalar(entry.key) ? String(entry.key.value) : undefined;
    return [...this.namesOf(collection), name];
  }

  /** Replaces the value of a field. */
  replace(node: Node, value: unknown): void {
    const { entry } = this.#takeParent(node);
    const replacement: Node = this.#document.createNode(value);
    if (isScalar(node) && isScalar(replacement) && isQuotable(node, replacement))
      replacement.type = node.type as Scalar.Type;
    const { comment, commentBefore, spaceBefore } = node;
    Object.assign(replacement, { comment, commentBefore, spaceBefore });
    if ('key' in entry) entry.value = replacement;
  }

  /** Removes an item of a list, or a field by the node of its name. Comments above it stay. */
  remove(node: Node): void {
    const { collection, entry } = this.#takeParent(node);
    this.#removed.set(collection, (this.#removed.get(collection) ?? new Set()).add(entry));
  }

  /** Adds a field to a map, or without a name an item to a list. */
  add(node: Node, value: unknown, name?: string): void {
    if (!isMap(node) && !isSeq(node)) throw new UnsupportedEdit('it is declared through an alias');
    const added: Node = this.#document.createNode(value);
    const last = node.items.at(-1);
    if (isSeq(node) && isFlow(last)) setFlow(added);
    if (node.items.length === 0) node.flow = false;
    if (isSeq(node)) node.add(added);
    else node.add(this.#document.createPair(name, added));
    this.#isEdited = true;
  }

  /** Returns the text with all changes; the unchanged text without changes. */
  format(): string {
    if (!this.#isEdited) return this.#source.text;
    for (const [collection, removed] of this.#removed) removeEntries(collection, removed);
    return formatDocument(this.#document, this.#source.text);
  }

  #collectParents(node: Node | null): void {
    if (!isMap(node) && !isSeq(node)) return;
    const collection = node as Collection;
    for (const entry of collection.items) {
      for (const inner of nodesOf(entry)) {
        this.#parents.set(inner, { collection, entry });
        this.#collectParents(inner);
      }
    }
  }

  /**
   * Returns the parent of a node that is about to change.
   * @throws UnsupportedEdit for a value that aliases may refer to
   */
  #takeParent(node: Node): Parent {
    const parent = this.#parents.get(node);
    if (!parent) throw new UnsupportedEdit('it is not a part of this file');
    for (const part of nodesOf(parent.entry)) {
      visit(part, (_, inner) => {
        if (hasAnchor(inner)) throw new UnsupportedEdit('other values may refer to it');
      });
    }
    this.#isEdited = true;
    return parent;
  }
}

function isQuotable(node: Scalar, replacement: Scalar): boolean {
  const isQuoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
  return isQuoted && typeof replacement.value === 'string';
}

function isFlow(value: unknown): boolean {
  return (isMap(value) || isSeq(value)) && value.flow === true;
}

function setFlow(node: Node): void {
  if (isMap(node) || isSeq(node)) node.flow = true;
}

function hasAnchor(value: unknown): boolean {
  return !isAlias(value) && typeof Object(value).anchor === 'string';
}

/** Removes entries. The comments above them move to the entry below, or to the end. */
function removeEntries(collection: Collection, removed: ReadonlySet<Entry>): void {
  const kept: Entry[] = [];
  let comments: string[] = [];
  for (const entry of collection.items as readonly Entry[]) {
    const [first] = nodesOf(entry);
    if (removed.has(entry)) comments.push(...commentsAround(entry));
    else {
      if (first && comments.length > 0)
        first.commentBefore = joinComments([...comments, first.commentBefore]);
      comments = [];
      kept.push(entry);
    }
  }
  if (comments.length > 0) collection.comment = joinComments([...comments, collection.comment]);
  Reflect.set(collection, 'items', kept);
}

/** Returns the comments on lines of their own, above an entry and at its end. */
function commentsAround(entry: Entry): readonly string[] {
  const nodes = nodesOf(entry);
  const last = nodes.at(-1);
  const end = isMap(last) || isSeq(last) ? [last.flow ? undefined : last.comment] : [];
  return [nodes[0]?.commentBefore, ...end].filter((comment) => typeof comment === 'string');
}

function joinComments(comments: readonly (string | null | undefined)[]): string {
  return comments.filter((comment) => typeof comment === 'string').join('\n');
}

function nodesOf(entry: Entry): readonly Node[] {
  if (!('key' in entry)) return [entry as Node];
  return entry.value ? [entry.key, entry.value] : [entry.key];
}
