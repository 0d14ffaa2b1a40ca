import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { renderBlock, renderFlow, renderScalar } from './render.ts';
import type { SourceText } from './tree.ts';

type Collection = YAMLMap<Node, Node | null> | YAMLSeq<Node>;
type Entry = Node | Pair<Node, Node | null>;

interface Parent {
  readonly collection: Collection;
  readonly index: number;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /**
   * Number of collections around an insertion: of two at the same place, the inner one comes first
   * in the text.
   */
  readonly depth?: number;
}

/** An entry to add to a collection: the value of a field, or an item. */
interface Addition {
  readonly name?: string;
  readonly value: unknown;
}

/** The style of a text cannot be edited without changing other lines. */
export class UnsupportedEdit extends Error {}

export class TextEditor {
  readonly #source: SourceText;
  readonly #parents = new Map<Node, Parent>();
  readonly #edits: Edit[] = [];
  readonly #removed = new Map<Collection, Set<number>>();
  readonly #added = new Map<Collection, Addition[]>();

  constructor(source: SourceText) {
    this.#source = source;
    this.#visit(source.root);
  }

  /**
   * Returns the names and indexes that lead from the top of the file to a node: a value, or the
   * name of a field.
   */
  pathOf(node: Node): readonly (string | number)[] {
    const parent = this.#parents.get(node);
    if (!parent) return [];
    const { collection, index } = parent;
    const key = isMap(collection) ? collection.items[index]?.key : undefined;
    return [...this.pathOf(collection), isScalar(key) ? String(key.value) : index];
  }

  replace(node: Node, value: unknown): void {
    const [start] = this.#rangeOf(node);
    const end = this.#endOf(node);
    const isText = isScalar(node) && (typeof value !== 'object' || value === null);
    const style = isScalar(node) ? node.type : this.#styleOf(node);
    const text = isText ? renderScalar(value, style) : renderFlow(value, style);
    this.#edits.push({ start, end, text: start === end ? ` ${text}` : text });
  }

  remove(node: Node): void {
    const { collection, index } = this.#parents.get(node) ?? {};
    if (!collection || index === undefined)
      throw new UnsupportedEdit('it is not a part of this file');
    if (!collection.flow) this.#removalInBlock(collection, index);
    this.#removed.set(collection, (this.#removed.get(collection) ?? new Set()).add(index));
  }

  /** Adds a field to a map, or without a name an item to a list. */
  add(node: Node, value: unknown, name?: string): void {
    if (!isMap(node) && !isSeq(node)) throw new UnsupportedEdit('it is neither a list nor a map');
    const collection = node as Collection;
    this.#added.set(collection, [
      ...(this.#added.get(collection) ?? []),
      { value, ...(name !== undefined && { name }) },
    ]);
  }

  /** Returns the text with all changes. @throws UnsupportedEdit */
  apply(): string {
    for (const collection of new Set([...this.#removed.keys(), ...this.#added.keys()]))
      this.#editCollection(collection);
    const collected = this.#edits.splice(0);
    const removals = collected.filter((edit) => edit.text === '');
    const edits = collected.map((edit) => moveOutOf(removals, edit, this.#source.text));
    edits.sort((a, b) => b.start - a.start || b.end - a.end || (a.depth ?? 0) - (b.depth ?? 0));
    let { text } = this.#source;
    let limit = text.length;
    for (const edit of edits) {
      if (edit.end > limit) throw new UnsupportedEdit('changes overlap');
      text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
      limit = edit.start;
    }
    return text;
  }

  #visit(node: Node | null): void {
    if (!isMap(node) && !isSeq(node)) return;
    const collection = node as Collection;
    for (const [index, entry] of collection.items.entries()) {
      for (const inner of nodesOf(entry)) {
        this.#parents.set(inner, { collection, index });
        this.#visit(inner);
      }
    }
  }

  #editCollection(collection: Collection): void {
    const removed = this.#removed.get(collection) ?? new Set();
    const added = this.#added.get(collection) ?? [];
    if (collection.flow) this.#editFlow(collection, removed, added);
    else this.#editBlock(collection, removed, added);
  }

  #editFlow(
    collection: Collection,
    removed: ReadonlySet<number>,
    added: readonly Addition[],
  ): void {
    const items: readonly Entry[] = collection.items;
    const firstKept = items.findIndex((_, index) => !removed.has(index));
    const kept = firstKept === -1 ? items.length : firstKept;
    const [startOf, endOf] = [
      (at: number) => this.#startOf(items[at]),
      (at: number) => this.#endOf(items[at]),
    ];
    if (kept > 0)
      this.#edits.push({
        start: startOf(0),
        end: kept < items.length ? startOf(kept) : endOf(kept - 1),
        text: '',
      });
    for (const index of removed)
      if (index > kept) this.#edits.push({ start: endOf(index - 1), end: endOf(index), text: '' });
    const style = this.#styleOf(collection);
    const texts = added.map(({ name, value }) =>
      name === undefined
        ? renderFlow(value, style)
        : `${renderScalar(name, style)}: ${renderFlow(value, style)}`,
    );
    if (texts.length === 0) return;
    const [start, end] = this.#rangeOf(collection);
    if (kept < items.length) {
      const after = endOf(items.length - 1);
      this.#edits.push({
        start: after,
        end: after,
        text: texts.map((text) => `, ${text}`).join(''),
      });
    } else if (items.length > 0)
      this.#edits.push({ start: startOf(0), end: startOf(0), text: texts.join(', ') });
    else
      this.#edits.push({
        start: start + 1,
        end: end - 1,
        text: isMap(collection) ? ` ${texts.join(', ')} ` : texts.join(', '),
      });
  }

  #editBlock(
    collection: Collection,
    removed: ReadonlySet<number>,
    added: readonly Addition[],
  ): void {
    for (const index of removed) this.#edits.push(this.#removalInBlock(collection, index));
    const { text } = this.#source;
    const items: readonly Entry[] = collection.items;
    const [start] = this.#rangeOf(collection);
    const line = lineStart(text, start);
    const lastKept = items.findLast((_, index) => !removed.has(index));
    if (added.length === 0 && !lastKept) this.#addEmpty(collection);
    const last = items.at(-1);
    const isFlowItem = (isMap(last) || isSeq(last)) && last.flow === true;
    const lines = added.flatMap(({ name, value }) => {
      if (name !== undefined) return renderBlock({ [name]: value });
      return isFlowItem ? [`- ${renderFlow(value)}`] : renderBlock([value]);
    });
    const newline = text.includes('\r\n') ? '\r\n' : '\n';
    const indented = lines.map((added) => `${' '.repeat(start - line)}${added}`);
    // Without a remaining entry, the new ones follow the line before the removed lines.
    const end = lastKept
      ? lineEnd(text, this.#endOf(lastKept))
      : line - newlineLength(text, line - 2);
    const insertion = indented.map((added) => newline + added);
    if (insertion.length === 0) return;
    this.#edits.push({
      start: end,
      end,
      text: insertion.join(''),
      depth: this.pathOf(collection).length,
    });
  }

  #addEmpty(collection: Collection): void {
    const parent = this.#parents.get(collection);
    const key =
      parent && isMap(parent.collection) ? parent.collection.items[parent.index]?.key : undefined;
    if (!key) throw new UnsupportedEdit('it would leave an empty list');
    const colon = this.#source.text.indexOf(':', this.#endOf(key)) + 1;
    this.#edits.push({
      start: colon,
      end: colon,
      text: isMap(collection) ? ' {}' : ' []',
      depth: Number.MAX_SAFE_INTEGER,
    });
  }

  #removalInBlock(collection: Collection, index: number): Edit {
    const { text } = this.#source;
    const entry: Entry | undefined = collection.items[index];
    const start = isMap(collection) ? this.#startOf(entry) : this.#dashOf(collection, entry);
    const end = lineEnd(text, this.#endOf(entry));
    const line = lineStart(text, start);
    if (text.slice(line, start).trim() === '')
      return { start: line, end: Math.min(end + newlineLength(text, end), text.length), text: '' };
    // The first entry follows the dash of a list on the same line: the next one takes its place.
    const next = collection.items[index + 1];
    const nextStart = next && this.#startOf(next);
    if (
      nextStart === undefined ||
      !isMap(collection) ||
      text.slice(this.#endOf(entry), nextStart).trim() !== ''
    )
      throw new UnsupportedEdit('a comment would be lost');
    return { start, end: nextStart, text: '' };
  }

  #dashOf(collection: Collection, item: Entry | undefined): number {
    const { text } = this.#source;
    const [first] = this.#rangeOf(collection);
    const column = first - lineStart(text, first);
    for (
      let line = lineStart(text, this.#startOf(item));
      line >= 0;
      line = line === 0 ? -1 : lineStart(text, line - 1)
    ) {
      if (text[line + column] === '-' && text.slice(line, line + column).trim() === '')
        return line + column;
      if (line <= first) return first;
    }
    throw new UnsupportedEdit('it is not on a line by itself');
  }

  #startOf(entry: Entry | undefined): number {
    const [first] = entry ? nodesOf(entry) : [];
    if (!first) throw new UnsupportedEdit('it has no position in the file');
    return this.#rangeOf(first)[0];
  }

  /** Returns the end of an entry without the comments and line ends after it. */
  #endOf(entry: Entry | undefined): number {
    const last = entry && nodesOf(entry).at(-1);
    if (!last) throw new UnsupportedEdit('it has no position in the file');
    if ((isMap(last) || isSeq(last)) && last.flow !== true && last.items.length > 0)
      return this.#endOf(last.items.at(-1) as Entry);
    const [start, end] = this.#rangeOf(last);
    return start + this.#source.text.slice(start, end).trimEnd().length;
  }

  #rangeOf({ range }: Node): readonly [number, number] {
    if (!range) throw new UnsupportedEdit('it has no position in the file');
    return [range[0], range[1]];
  }

  /** Returns the style of strings in a collection: quoted if its field names are. */
  #styleOf(node: Node): string | undefined {
    const [first] = isMap(node) ? node.items : [];
    if (isScalar(first?.key))
      return first.key.type === Scalar.QUOTE_DOUBLE ? Scalar.QUOTE_DOUBLE : undefined;
    const parent = this.#parents.get(node);
    return parent ? this.#styleOf(parent.collection) : undefined;
  }
}

/** Moves an insertion at the end of removed lines to the end of the line before them. */
function moveOutOf(removals: readonly Edit[], edit: Edit, text: string): Edit {
  const around = removals.find(
    ({ start, end }) => edit.start === edit.end && start < edit.start && edit.start < end,
  );
  if (!around) return edit;
  const end = around.start - newlineLength(text, around.start - 2);
  return moveOutOf(removals, { ...edit, start: end, end }, text);
}

function nodesOf(entry: Entry): readonly Node[] {
  if (!('key' in entry)) return [entry as Node];
  return entry.value ? [entry.key, entry.value] : [entry.key];
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function newlineLength(text: string, offset: number): number {
  return text[offset] === '\r' ? 2 : 1;
}
