import {
  Composer,
  type CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
} from 'yaml';
import { runInSlices } from '../../kernel/run-in-slices.ts';
import { PlainScalar } from './plain-scalar.ts';
import type { ListRequest } from './record-layout.ts';
import {
  type BesideField,
  createUnreadableRecord,
  InputError,
  type Position,
  type ReadList,
  type RecordChunk,
  type SourceRecord,
} from './source.ts';
import {
  describeYamlError,
  findList,
  formatYamlItem,
  hasAnchor,
  LEXEMES_PER_STEP,
  ONE_LIST_HINT,
  type ParsedYaml,
  RECORD_OPTIONS,
  readNode,
  SECOND_DOCUMENT,
} from './yaml-text.ts';

/** Larger inputs would take minutes to parse. */
const MAX_YAML_CHARACTERS = 64 * 1024 * 1024;
/** Maximum length of text that is parsed at once. A YAML parser takes 70 times as much memory. */
const MAX_PARSED_CHARACTERS = 2 * 1024 * 1024;
/** Maximum length of the text before a list, and of records with anchors, that aliases refer to. */
const MAX_ANCHORED_CHARACTERS = 64 * 1024;
const CONVERT_HINT = 'convert the file to NDJSON, for example with jq or yq';

/**
 * Reads a YAML list, or the list under a field of a mapping. Preserves the text of scalars, such as
 * the IDs `0123`, `no`, and `1e5`: the field of a scalar determines its type. Keeps the records in
 * memory as JSON text, because parsing YAML takes ten times as long as parsing JSON.
 */
export async function readYamlList(
  chunks: AsyncIterable<string>,
  request: ListRequest,
): Promise<ReadList> {
  const reader = new YamlListReader(request);
  const text = await readText(chunks, request.name);
  try {
    await runInSlices(reader.parse(text), request.signal);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    reader.error = error;
  }
  return { beside: reader.beside, read: () => readBatches(reader) };
}

async function readText(chunks: AsyncIterable<string>, name: string): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_YAML_CHARACTERS)
      throw new InputError(name, {}, 'YAML input is limited to 64 MB', CONVERT_HINT);
    parts.push(chunk);
  }
  return parts.join('');
}

export { formatYamlItem };

export function withYamlField({ value }: SourceRecord, field: string, text: string): string {
  return formatYamlItem({ ...Object(value), [field]: text });
}

/** Consecutive records: their values as JSON, and their positions. */
interface Batch {
  readonly json: string;
  readonly positions: readonly Position[];
  readonly errors: ReadonlyMap<number, InputError>;
}

async function* readBatches({ batches, error }: YamlListReader): AsyncGenerator<RecordChunk> {
  for (const { json, positions, errors } of batches) {
    const values: readonly unknown[] = JSON.parse(json, reviveScalar);
    yield positions.map((position, at) => {
      const problem = errors.get(at);
      return problem
        ? createUnreadableRecord('', position, problem)
        : new YamlRecord(values[at], position);
    });
  }
  if (error) throw error;
}

class YamlRecord implements SourceRecord {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;

  constructor(value: unknown, { line, column }: Position) {
    this.value = value;
    this.line = line;
    this.column = column;
  }

  get text(): string {
    return formatYamlItem(this.value);
  }
}

const [PLAIN, QUOTED] = ['p', 'q'];

/** Marks each text with its kind, because JSON has no plain scalars. */
function markScalar(_: string, value: unknown): unknown {
  if (typeof value === 'string') return QUOTED + value;
  return value instanceof PlainScalar ? PLAIN + value.text : value;
}

function reviveScalar(_: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.slice(1);
  return value.startsWith(PLAIN) ? new PlainScalar(text) : text;
}

/** An item to read, and its position if that fails. */
interface UnreadItem {
  readonly position: Position;
  read(): Position & { readonly value: unknown };
}

type ListItem = CST.BlockSequence['items'][number];

/**
 * Parses a list while its text arrives. Takes finished items of a block list out of the parser, so
 * that memory does not grow with the syntax tree.
 */
class YamlListReader {
  readonly batches: Batch[] = [];
  beside: readonly BesideField[] = [];
  error: InputError | undefined;
  readonly #request: ListRequest;
  readonly #lines = new LineCounter();
  readonly #parser = new Parser(this.#lines.addNewLine);
  /** Finished parts of the stream: directives, comments, and documents. */
  readonly #parts: CST.Token[] = [];
  #length = 0;
  /** Offset of the end of the items that were taken. */
  #taken = 0;
  #hasAnchors = false;
  #hasAliases = false;
  #anchored: ListItem[] = [];
  #anchoredLength = 0;

  constructor(request: ListRequest) {
    this.#request = request;
    this.#lines.addNewLine(0);
  }

  /** Parses a text step by step. */
  *parse(text: string): Generator<undefined> {
    this.#length = text.length;
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(text)) {
      if (lexeme.startsWith('&')) this.#hasAnchors = true;
      else if (lexeme.startsWith('*')) this.#hasAliases = true;
      for (const part of this.#parser.next(lexeme)) this.#parts.push(part);
      lexemes += 1;
      if (lexemes % LEXEMES_PER_STEP > 0) continue;
      this.#takeItems();
      yield;
    }
    this.#parts.push(...this.#parser.end());
    this.#end();
  }

  /** Takes the finished items of the list out of the parser. */
  #takeItems(): void {
    const [document, outer] = this.#parser.stack;
    const list = this.#openList();
    if (list && document?.type === 'document') {
      const last = list.items.at(-1);
      this.#addItems(document, outer, list, list.items.splice(0, list.items.length - 1));
      this.#taken = last?.start[0]?.offset ?? this.#taken;
    }
    if (this.#parser.offset - this.#taken <= MAX_PARSED_CHARACTERS) return;
    if (list)
      throw this.#createError(
        { line: this.#positionOf(this.#taken).line },
        'the record is longer than 2 MB',
        'check for an unclosed quote',
      );
    const hint = `begin each record with '- ' on a separate line, or ${CONVERT_HINT}`;
    throw this.#createError({}, 'YAML in this layout is limited to 2 MB', hint);
  }

  #end(): void {
    const document = this.#parts.find(({ type }) => type === 'document');
    const outer = document?.type === 'document' ? document.value : undefined;
    const list = this.#listIn(outer);
    if (list && document?.type === 'document')
      this.#addItems(document, outer, list, list.items.splice(0));
    const parsed = this.#composeRest(outer);
    const found = findList(parsed, this.#request.listName);
    if (!found) {
      const hint = `begin each record with '- ', or put the list under '${this.#request.listName}:'`;
      const position = parsed.positionOf(parsed.document.contents?.range?.[0]);
      throw this.#createError(position, 'expected a list of records', hint);
    }
    if (!list)
      this.#addBatch(
        found.items.map((item) => ({
          position: parsed.positionOf(isNode(item) ? item.range?.[0] : undefined),
          read: () => readNode(parsed, item, this.#request.name),
        })),
      );
    this.beside = this.#readBeside(parsed);
  }

  /** Returns the list of records that the parser is reading. */
  #openList(): CST.BlockSequence | undefined {
    const [document, outer, inner] = this.#parser.stack;
    if (document?.type !== 'document') return undefined;
    if (outer?.type === 'block-seq') return outer;
    if (outer?.type !== 'block-map' || inner?.type !== 'block-seq') return undefined;
    return this.#isListField(outer.items.at(-1)) ? inner : undefined;
  }

  #listIn(outer: CST.Token | undefined): CST.BlockSequence | undefined {
    if (outer?.type === 'block-seq') return outer;
    if (outer?.type !== 'block-map') return undefined;
    const value = outer.items.find((item) => this.#isListField(item))?.value;
    return value?.type === 'block-seq' ? value : undefined;
  }

  #isListField(item: CST.BlockMap['items'][number] | undefined): boolean {
    const key = item?.key;
    return (
      key !== undefined &&
      key !== null &&
      'source' in key &&
      unquote(key.source) === this.#request.listName
    );
  }

  /** Adds items of the list. If some of them are invalid, the others are still read. */
  #addItems(
    document: CST.Document,
    outer: CST.Token | undefined,
    list: CST.BlockSequence,
    items: ListItem[],
  ): void {
    if (items.length === 0) return;
    const context = this.#hasAliases ? this.#anchored : [];
    const readItems = (some: readonly ListItem[]) => {
      const sequence = { ...list, items: [...context, ...some] };
      const parsed = this.#compose([this.#withList(document, outer, sequence)]);
      const nodes = findList(parsed, this.#request.listName)?.items.slice(context.length) ?? [];
      return some.map((item, at) => ({
        position: this.#positionOf(item.start[0]?.offset ?? 0),
        read: () => {
          const node = nodes[at];
          if (this.#hasAnchors && hasAnchor(node)) this.#keepAnchored(item, items);
          return readNode(parsed, node, this.#request.name);
        },
      }));
    };
    try {
      this.#addBatch(readItems(items));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#addBatch(
        items.map((item) => ({
          position: this.#positionOf(item.start[0]?.offset ?? 0),
          read: () => {
            const [only] = readItems([item]);
            if (!only) throw new TypeError('a list of one item has no item');
            return only.read();
          },
        })),
      );
    }
  }

  /** Keeps an item with an anchor for the aliases of later items. */
  #keepAnchored(item: ListItem, items: readonly ListItem[]): void {
    if (this.#anchored.includes(item)) return;
    const start = item.start[0]?.offset ?? 0;
    const next = items[items.indexOf(item) + 1]?.start[0]?.offset ?? this.#parser.offset;
    this.#anchored.push(item);
    this.#anchoredLength += next - start;
    if (this.#anchoredLength <= MAX_ANCHORED_CHARACTERS) return;
    throw this.#createError(
      { line: this.#positionOf(start).line },
      'more than 64 KB of records with anchors',
      'replace the aliases with their values',
    );
  }

  /** Copies the document with another list. Its other fields are left out, unless aliases may need them. */
  #withList(
    { end: _, ...document }: CST.Document,
    outer: CST.Token | undefined,
    list: CST.BlockSequence,
  ): CST.Document {
    if (outer?.type !== 'block-map') return { ...document, value: list };
    const at = outer.items.findIndex((item) => this.#isListField(item));
    const field = outer.items[at];
    const before = this.#hasAliases ? outer.items.slice(0, at) : [];
    const [first] = before;
    if (first && list.offset - (first.start[0]?.offset ?? outer.offset) > MAX_ANCHORED_CHARACTERS)
      throw this.#createError(
        this.#positionOf(outer.offset),
        'more than 64 KB before a list with aliases',
        'replace the aliases with their values',
      );
    const items = [...before, ...(field?.sep ? [{ ...field, value: list }] : [])];
    return { ...document, value: { ...outer, items } };
  }

  /** Composes the document, whose list was taken. */
  #composeRest(outer: CST.Token | undefined): ParsedYaml {
    this.#rejectRepeatedFields(outer);
    try {
      return this.#compose(this.#parts);
    } catch (error) {
      if (!(error instanceof InputError && outer?.type === 'block-seq')) throw error;
      if (!error.problem.startsWith('unexpected')) throw error;
      throw error.with({
        problem: "expected the next '- ', or the end",
        hint: 'indent the fields of a record',
      });
    }
  }

  #rejectRepeatedFields(outer: CST.Token | undefined): void {
    const names = new Set<string>();
    for (const { key } of outer?.type === 'block-map' ? outer.items : []) {
      if (!key || !('source' in key)) continue;
      const name = unquote(key.source);
      if (names.has(name))
        throw this.#createError(this.#positionOf(key.offset), `'${name}' occurs twice`);
      names.add(name);
    }
  }

  #compose(parts: readonly CST.Token[]): ParsedYaml {
    const [document, second] = new Composer(RECORD_OPTIONS).compose(parts, true, this.#length);
    const [error] = document?.errors ?? [];
    if (error) {
      const [offset] = error.pos;
      throw this.#createError(this.#positionOf(offset), ...describeYamlError(error));
    }
    if (second)
      throw this.#createError(this.#positionOf(second.range[0]), SECOND_DOCUMENT, ONE_LIST_HINT);
    if (!document) throw new TypeError('a YAML stream has at least one document');
    return { document, positionOf: (offset = 0) => this.#positionOf(offset) };
  }

  #addBatch(items: readonly UnreadItem[]): void {
    const [values, positions]: [unknown[], Position[]] = [[], []];
    const errors = new Map<number, InputError>();
    for (const { position, read } of items) {
      try {
        const { value, line, column } = read();
        values.push(value);
        positions.push({ line, column });
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        errors.set(values.length, error);
        values.push(null);
        positions.push(position);
      }
    }
    if (values.length > 0)
      this.batches.push({ json: JSON.stringify(values, markScalar), positions, errors });
  }

  #readBeside({ document, positionOf }: ParsedYaml): readonly BesideField[] {
    const { contents } = document;
    if (!isMap(contents)) return [];
    return contents.items.flatMap(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : '';
      if (name === this.#request.listName) return [];
      const node = isAlias(value) ? value.resolve(document) : value;
      const scalar = isScalar(node) ? node.value : node;
      const position = positionOf(isScalar(key) ? key.range?.[0] : undefined);
      return [{ ...position, name, value: scalar instanceof PlainScalar ? scalar.text : scalar }];
    });
  }

  #positionOf(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  #createError(position: Partial<Position>, problem: string, hint?: string): InputError {
    return new InputError(this.#request.name, position, problem, hint);
  }
}

function unquote(text: string): string {
  return text.replace(/^(["'])(.*)\1$/, '$2');
}
