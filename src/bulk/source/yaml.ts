import { isMap, isScalar } from 'yaml';
import type { ListOptions } from './json.ts';
import { type Block, InputError, type SourceRecord } from './record.ts';
import { MOST_YAML_CHARACTERS, type YamlItem, YamlItems, type YamlLayout, yamlLayout } from './yaml-items.ts';
import { simpleItem } from './yaml-simple.ts';
import { hasAnchor, listIn, ONE_LIST, parseYamlText, readNode, SECOND_DOCUMENT, yamlItem } from './yaml-text.ts';

/**
 * The records of a YAML list, or of the list under `field` of a mapping. A scalar keeps the text that it is written as:
 * its field decides whether it is a number, so ids such as `0123`, `no` and `1e5` are kept. Items that stand below each
 * other are read one by one; any other layout is read as a whole, up to a size.
 */
export async function* readYaml(chunks: AsyncIterable<string>, options: ListOptions): AsyncGenerator<Block> {
  const { name, field } = options;
  let head = '';
  let reader: ItemReader | undefined;
  for await (const chunk of chunks) {
    if (reader) {
      yield* reader.push(chunk);
      continue;
    }
    head += chunk;
    const layout = yamlLayout(head, field);
    if (layout?.kind === 'list') {
      reader = new ItemReader(head, layout, options);
      yield* reader.push(head.slice(layout.start));
    } else if (head.length > MOST_YAML_CHARACTERS) {
      const hint = "begin each record with '- ' on a line of its own, or convert the file to NDJSON";
      throw new InputError(name, {}, 'YAML in this layout is read up to 2 MB', hint);
    }
  }
  yield* reader ? reader.end() : wholeList(head, options);
}

/** The text of a record with one more field. */
export function withYamlField({ value }: SourceRecord, field: string, text: string): string {
  return yamlItem({ ...Object(value), [field]: text });
}

function* wholeList(text: string, { name, field }: ListOptions): Generator<Block> {
  const parsed = parseYamlText(text, name, 'record');
  const list = listIn(parsed, field);
  if (!list) {
    const hint = `begin each record with '- ', or put the list under '${field}:'`;
    throw new InputError(
      name,
      parsed.placeOf(parsed.document.contents?.range?.[0]),
      'expected a list of records',
      hint,
    );
  }
  const block: SourceRecord[] = [];
  for (const item of list.items) block.push(new YamlRecord(readNode(parsed, item, name)));
  if (block.length > 0) yield block;
}

class YamlRecord implements SourceRecord {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;

  constructor({ value, line, column }: Omit<SourceRecord, 'text'>) {
    this.value = value;
    this.line = line;
    this.column = column;
  }

  get text(): string {
    return yamlItem(this.value);
  }
}

/** Records that others may refer to are held for them, up to this many characters. */
const MOST_ANCHORED = 64 * 1024;

/** Reads the items of a block list, each by itself. */
class ItemReader {
  readonly #options: ListOptions;
  readonly #items: YamlItems;
  /** The list stands under a field, so that other fields may follow it. */
  readonly #inField: boolean;
  /** A line that is neither blank nor a comment, and too far to the left to belong to an item. */
  readonly #afterList: RegExp;
  /** Items that name something in them, which later ones may mean. */
  #anchored = '';
  /** What follows the list. */
  #rest: YamlItem | undefined;

  constructor(head: string, { indent, start, field }: Extract<YamlLayout, { kind: 'list' }>, options: ListOptions) {
    this.#options = options;
    this.#inField = field;
    this.#items = new YamlItems(options.name, indent, lines(head.slice(0, start)) + 1);
    this.#afterList = new RegExp(`\\n(?! {${indent.length + 1}})(?=[ \\t]*[^\\s#])`);
  }

  *push(chunk: string): Generator<Block> {
    yield* this.#read(this.#items.push(chunk));
  }

  *end(): Generator<Block> {
    yield* this.#read([this.#items.end()]);
    if (this.#rest) this.#check(this.#rest);
  }

  *#read(items: readonly YamlItem[]): Generator<Block> {
    const block: SourceRecord[] = [];
    try {
      for (const item of items) {
        const simple = this.#rest ? undefined : simpleItem(item.text);
        if (simple) block.push(new YamlRecord({ ...simple, line: item.line }));
        else if (this.#rest) this.#goOn(this.#rest, item);
        else block.push(this.#parse(this.#withoutRest(item)));
      }
    } catch (error) {
      if (block.length > 0) yield block;
      throw error;
    }
    if (block.length > 0) yield block;
  }

  /** The item without what follows the list, where the list ends in it. */
  #withoutRest({ text, line }: YamlItem): YamlItem {
    const after = this.#afterList.exec(text);
    if (!after) return { text, line };
    const own = text.slice(0, after.index + 1);
    this.#rest = { text: text.slice(own.length), line: line + lines(own) };
    return { text: own, line };
  }

  #goOn(rest: YamlItem, { text }: YamlItem): void {
    this.#rest = { ...rest, text: rest.text + text };
    if (this.#rest.text.length <= MOST_YAML_CHARACTERS) return;
    throw new InputError(this.#options.name, { line: rest.line }, 'more than 2 MB behind the list');
  }

  /** What follows the list: other fields, or nothing but the end of the document. */
  #check({ text, line }: YamlItem): void {
    const { name } = this.#options;
    const place = { line, column: 1 };
    if (/^---(?:\s|$)/.test(text)) throw new InputError(name, place, SECOND_DOCUMENT, ONE_LIST);
    if (/^\.\.\.(?:\s|$)/.test(text)) {
      if (/\n(?=[^\s#])/.test(text))
        throw new InputError(name, place, 'the document ends here, and more follows', ONE_LIST);
    } else if (this.#inField) this.#warnOf({ text, line });
    else throw new InputError(name, place, "expected the next '- ', or the end", 'indent what belongs to the record');
  }

  #parse({ text, line }: YamlItem): SourceRecord {
    const { name, field } = this.#options;
    const before = text.includes('*') ? this.#anchored : '';
    const parsed = parseYamlText(before + text, name, 'record', line - lines(before));
    const node = listIn(parsed, field)?.items.at(-1);
    const read = new YamlRecord(readNode(parsed, node, name));
    if (text.includes('&') && hasAnchor(node)) this.#anchored += text.endsWith('\n') ? text : `${text}\n`;
    if (this.#anchored.length <= MOST_ANCHORED) return read;
    throw new InputError(name, { line }, 'more than 64 KB of records with anchors', 'write out what they share');
  }

  /** The fields behind the list. */
  #warnOf({ text, line }: YamlItem): void {
    const { name, field, warn } = this.#options;
    const { document, placeOf } = parseYamlText(text, name, 'typed', line);
    if (!isMap(document.contents)) throw new InputError(name, { line }, 'expected a field, or the end');
    for (const { key } of document.contents.items) {
      const named = isScalar(key) ? String(key.value) : '';
      const place = placeOf(isScalar(key) ? key.range?.[0] : undefined);
      if (named === field) throw new InputError(name, place, `'${field}' stands twice`);
      warn({ line: place.line, message: `'${named}' is left out; only the records under '${field}' are read` });
    }
  }
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}
