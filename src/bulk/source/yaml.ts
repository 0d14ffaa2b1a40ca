import { isMap, isScalar } from 'yaml';
import type { ListRequest } from './record-layout.ts';
import {
  createUnreadableRecord,
  InputError,
  type RecordChunk,
  type SourceRecord,
} from './source.ts';
import {
  detectYamlLayout,
  MAX_YAML_CHARACTERS,
  type YamlItem,
  YamlItemSplitter,
  type YamlLayout,
} from './yaml-items.ts';
import { parseSimpleItem } from './yaml-simple-item.ts';
import {
  findList,
  formatYamlItem,
  hasAnchor,
  ONE_LIST_HINT,
  parseYamlText,
  readNode,
  SECOND_DOCUMENT,
} from './yaml-text.ts';

/**
 * Reads a YAML list, or the list under `field` of a mapping. Preserves the text of scalars, such as
 * the IDs `0123`, `no`, and `1e5`: the field of a scalar determines its type. Reads a block list
 * item by item, and other layouts as a whole, up to a maximum size.
 */
export async function* readYaml(
  chunks: AsyncIterable<string>,
  options: ListRequest,
): AsyncGenerator<RecordChunk> {
  const { name, listName: field } = options;
  let head = '';
  let reader: ItemReader | undefined;
  for await (const chunk of chunks) {
    if (reader) {
      yield* reader.push(chunk);
      continue;
    }
    head += chunk;
    const layout = detectYamlLayout(head, field);
    if (layout?.kind === 'list') {
      reader = new ItemReader(head, layout, options);
      yield* reader.push(head.slice(layout.start));
    } else if (head.length > MAX_YAML_CHARACTERS) {
      const hint = "begin each record with '- ' on a separate line, or convert the file to NDJSON";
      throw new InputError(name, {}, 'YAML in this layout is limited to 2 MB', hint);
    }
  }
  yield* reader ? reader.end() : readWholeList(head, options);
}

export function withYamlField({ value }: SourceRecord, field: string, text: string): string {
  return formatYamlItem({ ...Object(value), [field]: text });
}

function* readWholeList(
  text: string,
  { name, listName: field }: ListRequest,
): Generator<RecordChunk> {
  const parsed = parseYamlText(text, name, 'record');
  const list = findList(parsed, field);
  if (!list) {
    const hint = `begin each record with '- ', or put the list under '${field}:'`;
    const position = parsed.positionOf(parsed.document.contents?.range?.[0]);
    throw new InputError(name, position, 'expected a list of records', hint);
  }
  const records: SourceRecord[] = [];
  for (const item of list.items) records.push(new YamlRecord(readNode(parsed, item, name)));
  if (records.length > 0) yield records;
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
    return formatYamlItem(this.value);
  }
}

/** Upper bound on the total text of records with anchors, which are kept for later aliases. */
const MAX_ANCHORED_CHARACTERS = 64 * 1024;

class ItemReader {
  readonly #options: ListRequest;
  readonly #items: YamlItemSplitter;
  /** Whether the list is under a field, so that other fields may follow. */
  readonly #inField: boolean;
  /**
   * Matches a line that is neither blank nor a comment, and indented too little to belong to an
   * item.
   */
  readonly #endOfList: RegExp;
  #anchored = '';
  #afterItems: YamlItem | undefined;

  constructor(
    head: string,
    { indent, start, field }: Extract<YamlLayout, { kind: 'list' }>,
    options: ListRequest,
  ) {
    this.#options = options;
    this.#inField = field;
    this.#items = new YamlItemSplitter(options.name, indent, countLines(head.slice(0, start)) + 1);
    this.#endOfList = new RegExp(`\\n(?! {${indent.length + 1}})(?=[ \\t]*[^\\s#])`);
  }

  *push(chunk: string): Generator<RecordChunk> {
    yield* this.#read(this.#items.push(chunk));
  }

  *end(): Generator<RecordChunk> {
    yield* this.#read([this.#items.end()]);
    if (this.#afterItems) this.#checkRest(this.#afterItems);
  }

  *#read(items: readonly YamlItem[]): Generator<RecordChunk> {
    const records: SourceRecord[] = [];
    try {
      for (const item of items) {
        const simple = this.#afterItems ? undefined : parseSimpleItem(item.text);
        if (simple) records.push(new YamlRecord({ ...simple, line: item.line }));
        else if (this.#afterItems) this.#appendAfterItems(this.#afterItems, item);
        else records.push(this.#parseReadable(this.#splitOffRest(item)));
      }
    } catch (error) {
      if (records.length > 0) yield records;
      throw error;
    }
    if (records.length > 0) yield records;
  }

  #splitOffRest({ text, line }: YamlItem): YamlItem {
    const after = this.#endOfList.exec(text);
    if (!after) return { text, line };
    const itemText = text.slice(0, after.index + 1);
    this.#afterItems = { text: text.slice(itemText.length), line: line + countLines(itemText) };
    return { text: itemText, line };
  }

  #appendAfterItems(rest: YamlItem, { text }: YamlItem): void {
    this.#afterItems = { ...rest, text: rest.text + text };
    if (this.#afterItems.text.length <= MAX_YAML_CHARACTERS) return;
    throw new InputError(
      this.#options.name,
      { line: rest.line },
      'the text after the list is longer than 2 MB',
    );
  }

  /** Checks the text after the list: other fields, or the end of the document. */
  #checkRest({ text, line }: YamlItem): void {
    const { name } = this.#options;
    const position = { line, column: 1 };
    if (/^---(?:\s|$)/.test(text))
      throw new InputError(name, position, SECOND_DOCUMENT, ONE_LIST_HINT);
    if (/^\.\.\.(?:\s|$)/.test(text)) {
      if (/\n(?=[^\s#])/.test(text))
        throw new InputError(
          name,
          position,
          'unexpected text after the end of the document',
          ONE_LIST_HINT,
        );
    } else if (this.#inField) this.#warnAboutFields({ text, line });
    else
      throw new InputError(
        name,
        position,
        "expected the next '- ', or the end",
        'indent the fields of a record',
      );
  }

  #parseReadable(item: YamlItem): SourceRecord {
    try {
      return this.#parse(item);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return createUnreadableRecord(item.text, { line: item.line, column: 1 }, error);
    }
  }

  #parse({ text, line }: YamlItem): SourceRecord {
    const { name, listName: field } = this.#options;
    const before = text.includes('*') ? this.#anchored : '';
    const parsed = parseYamlText(before + text, name, 'record', line - countLines(before));
    const node = findList(parsed, field)?.items.at(-1);
    const read = new YamlRecord(readNode(parsed, node, name));
    if (text.includes('&') && hasAnchor(node))
      this.#anchored += text.endsWith('\n') ? text : `${text}\n`;
    if (this.#anchored.length <= MAX_ANCHORED_CHARACTERS) return read;
    throw new InputError(
      name,
      { line },
      'more than 64 KB of records with anchors',
      'replace the aliases with their values',
    );
  }

  #warnAboutFields({ text, line }: YamlItem): void {
    const { name, listName: field, warn } = this.#options;
    const { document, positionOf } = parseYamlText(text, name, 'typed', line);
    if (!isMap(document.contents))
      throw new InputError(name, { line }, 'expected a field, or the end');
    for (const { key } of document.contents.items) {
      const keyText = isScalar(key) ? String(key.value) : '';
      const position = positionOf(isScalar(key) ? key.range?.[0] : undefined);
      if (keyText === field) throw new InputError(name, position, `'${field}' occurs twice`);
      warn({
        line: position.line,
        message: `'${keyText}' is ignored; only the records under '${field}' are read`,
      });
    }
  }
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
