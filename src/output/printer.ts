import type { Column } from '../catalog/define.ts';
import type { SecretPath } from '../catalog/secrets.ts';
import type { Sink } from '../kernel/io.ts';
import { writeText } from '../kernel/log-commands.ts';
import { once } from '../kernel/once.ts';
import { formatNounCount } from '../kernel/plural.ts';
import { maskSecrets } from '../kernel/remove-secrets.ts';
import { createPause, type Pause } from '../kernel/run-in-slices.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import { type DisplayOptions, PIPE_DISPLAY } from './display-options.ts';
import {
  describeMissingField,
  requireFields,
  resolveFields,
  selectFields,
} from './field-selection.ts';
import type { Format } from './format.ts';
import {
  describeMore,
  type ListSelection,
  limitPages,
  type SortKey,
  sortRecords,
} from './list-selection.ts';
import {
  joinTexts,
  type Renderer,
  singlePage,
  splitPage,
  type Texts,
  type View,
} from './renderer.ts';

/**
 * How to print results. `fields` are paths such as `owner.email` or table headers, in the requested
 * order.
 */
export interface OutputOptions {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly headers: boolean;
  /** Whether CSV begins with a byte order mark. */
  readonly bom?: boolean;
  readonly quiet: boolean;
  readonly showSecrets: boolean;
  readonly color: boolean;
  readonly display?: DisplayOptions;
  readonly warn?: (text: string) => Promise<void>;
  readonly note?: (text: string) => Promise<void>;
  /** Wraps the writes of a document, so that messages don't interrupt it. */
  readonly writeDocument?: (write: () => Promise<void>) => Promise<void>;
  /** Shows long tables in a pager. Set only for the table format. */
  readonly tablePager?: Pager;
  readonly filter?: FilterText;
  /** Order and number of the records of lists. */
  readonly list?: ListSelection;
  /** Ends the output within a long list. */
  readonly signal?: AbortSignal;
}

export interface Pager {
  readonly rows: number;
  /** Shows texts while they are read. Writes them to the terminal if no pager can show them. */
  show(texts: AsyncIterable<string>): Promise<void>;
}

/**
 * Description of a result. Secret paths start at the printed value, so the first part of a list's
 * path is `*`.
 */
export interface ResultShape {
  readonly columns?: readonly Column[];
  readonly secrets?: readonly SecretPath[];
  /** Number of records of a list to print if no flag sets another one. */
  readonly defaultLimit?: number;
  /**
   * Rows and columns of the table, if they differ from the records of a list. Rows are in the order
   * of the records.
   */
  readonly table?: { readonly rows: readonly object[]; readonly columns: readonly Column[] };
  /**
   * Custom text for `table`, escaped for a terminal, for a value that is not shown as names and
   * values.
   */
  readonly renderText?: (view: View) => Texts | Promise<Texts>;
  /** Whether the custom text is data for programs, such as JSON. */
  readonly isData?: boolean;
  /** Custom text for `markdown`. Without it, `markdown` has the text of `table` as a code block. */
  readonly renderMarkdown?: () => string | Promise<string>;
}

const RENDERERS: Readonly<Record<Format, (view: View) => Promise<Renderer>>> = {
  table: async (view) => (await import('./table.ts')).createTableRenderer(view),
  json: async (view) => (await import('./json.ts')).createJsonRenderer(view),
  ndjson: async (view) => (await import('./json.ts')).createNdjsonRenderer(view),
  yaml: async () => (await import('./yaml.ts')).yamlRenderer,
  csv: async (view) => (await import('./csv.ts')).createCsvRenderer(view),
  markdown: async (view) => (await import('./markdown.ts')).createMarkdownRenderer(view),
};

export function createPrinter(sink: Sink, options: OutputOptions): Printer {
  return new Printer(sink, options);
}

export class Printer {
  readonly #sink: Sink;
  readonly #options: OutputOptions;
  #hidden = 0;
  #cut: number | undefined;

  constructor(sink: Sink, options: OutputOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /**
   * Prints page by page if the format allows.
   * @throws SvcError `usage` if no record of the first page has a selected field
   */
  records(pages: AsyncIterable<Page>, shape: ResultShape): Promise<void> {
    return this.#writeDocument(() => this.#printRecords(pages, shape));
  }

  /**
   * Prints one result. A missing field is null, not an error, because a write may already have
   * happened.
   */
  value(value: unknown, shape: ResultShape): Promise<void> {
    return this.#writeDocument(() => this.#printValue(value, shape));
  }

  /** Prints a text as one line, for `--quiet`. Escapes the text only on a terminal. */
  line(text: string): Promise<void> {
    const line = this.#sink.isTerminal ? escapeForTerminal(text) : text;
    return this.#write(`${line}\n`, { isData: true });
  }

  async #writeDocument(write: () => Promise<void>): Promise<void> {
    const { writeDocument = (print) => print(), note } = this.#options;
    await writeDocument(async () => {
      await write();
      const count = this.#hidden;
      this.#hidden = 0;
      const cut = this.#cut;
      this.#cut = undefined;
      if (cut !== undefined) await note?.(describeMore(cut));
      if (count === 0) return;
      const hidden = `${formatNounCount(count, 'column')} hidden`;
      await note?.(`${hidden}; -o json or a wider terminal shows ${count === 1 ? 'it' : 'them'}`);
    });
  }

  /** @param keyed records with the fields to sort by, if `pages` lack them */
  async #printRecords(pages: AsyncIterable<Page>, shape: ResultShape, keyed?: Page): Promise<void> {
    const names = this.#options.fields;
    const selected = await this.#selectRecords(pages, shape, keyed);
    const { fields, pages: all } = names
      ? await selectFromPages(names, selected, shape.columns)
      : { pages: selected };
    const view = this.#viewOf(shape, fields);
    const renderer = await this.#createRenderer(view);
    const prepare = (page: Page) => this.#maskAndSelect(page, shape, fields) as Page;
    // A table in a pipe aligns each page as a whole.
    const parts = this.#options.format === 'table' ? all : splitPages(all, view.pause);
    await this.#writeTexts(renderer.records(mapEachPage(parts, prepare)));
  }

  /** Sorts the records and applies the limit. */
  async #selectRecords(
    pages: AsyncIterable<Page>,
    shape: ResultShape,
    keyed?: Page,
  ): Promise<AsyncIterable<Page>> {
    const { list } = this.#options;
    const sort = list?.sort;
    const limit = list && (list.limit ?? (list.all ? undefined : shape.defaultLimit));
    const sortBy = async (key: SortKey) => {
      const records = (await Array.fromAsync(pages)).flat();
      const keys = this.#maskAndSelect(keyed ?? records, shape) as Page;
      return sortRecords(records, keys, key, shape.columns);
    };
    const ordered = sort ? singlePage(await sortBy(sort)) : pages;
    if (limit === undefined) return ordered;
    return limitPages(ordered, limit, () => {
      this.#cut = limit;
    });
  }

  async #printValue(value: unknown, shape: ResultShape): Promise<void> {
    const { fields: names, warn } = this.#options;
    const text = names ? undefined : await this.#renderText(shape);
    if (text !== undefined) return this.#writeParts(text, shape);
    if (Array.isArray(value)) return this.#printList(value, shape);
    const fields = names && resolveFields(names, value);
    const renderer = await this.#createRenderer(this.#viewOf(shape, fields));
    await this.#writeParts(await renderer.value(this.#maskAndSelect(value, shape, fields)));
    const missing = fields && describeMissingField(fields, value);
    if (missing) await warn?.(missing);
  }

  /** Returns the custom text of a value, if it has one in the format. */
  async #renderText(shape: ResultShape): Promise<Texts | undefined> {
    const { renderText, renderMarkdown } = shape;
    const { format } = this.#options;
    if (format === 'table') return renderText?.(this.#viewOf(shape));
    if (format !== 'markdown') return undefined;
    if (renderMarkdown) return renderMarkdown();
    if (!renderText) return undefined;
    const plain = { color: false, isTerminal: true, display: PIPE_DISPLAY, width: undefined };
    const text = joinTexts(await renderText({ ...this.#viewOf(shape), ...plain }));
    return (await import('./markdown.ts')).formatCodeBlock(text);
  }

  #viewOf(
    { columns, isData = false }: ResultShape,
    fields?: readonly string[],
  ): View & { readonly pause: Pause } {
    const { headers, bom = false, color, display = PIPE_DISPLAY, signal, format } = this.#options;
    const breakCommands = format === 'table' && !isData ? this.#sink.breakCommands : undefined;
    return {
      ...(columns && { columns }),
      ...(fields && { fields }),
      headers,
      bom,
      color,
      display: breakCommands ? { ...display, breakCommands } : display,
      isTerminal: this.#sink.isTerminal,
      width: this.#sink.columns,
      // A command that was interrupted still prints its result.
      pause: createPause(signal?.aborted ? undefined : signal),
      reportHidden: (count) => {
        this.#hidden = count;
      },
    };
  }

  async #createRenderer(view: View): Promise<Renderer> {
    const { format, filter } = this.#options;
    return filter ? createFilteredRenderer(filter, this.#sink.isTerminal) : RENDERERS[format](view);
  }

  #maskAndSelect(
    value: unknown,
    { secrets = [] }: ResultShape,
    fields?: readonly string[],
  ): unknown {
    const masked = this.#options.showSecrets ? value : maskSecrets(value, secrets);
    return fields ? selectFields(masked, fields) : masked;
  }

  /**
   * Prints the rows of a table instead of its records, or both if fields of either can be selected or
   * sorted by.
   */
  async #printList(records: Page, { table, ...shape }: ResultShape): Promise<void> {
    const { format, fields, list = {} } = this.#options;
    const isTable = format === 'table' || format === 'markdown';
    const { sort } = list;
    if (!table || !(isTable || fields || sort)) {
      // Without records, only the table knows the header of CSV.
      const isEmpty = records.length === 0;
      const known = table && isEmpty ? { ...shape, columns: table.columns } : shape;
      return this.#printRecords(singlePage(records), known);
    }
    const merge = once(() =>
      records.map((record, at) => ({ ...table.rows[at], ...(record as object) })),
    );
    const rows = isTable ? table.rows : fields ? merge() : records;
    const shown = { ...shape, columns: table.columns };
    await this.#printRecords(singlePage(rows), shown, sort && merge());
  }

  async #writeParts(texts: Texts, shape: ResultShape = {}): Promise<void> {
    for (const text of typeof texts === 'string' ? [texts] : texts) await this.#write(text, shape);
  }

  /**
   * Writes a text. In a log, breaks what its system would take for a command in a table, but not in
   * data, which programs read unchanged.
   */
  async #write(text: string, { isData = false }: ResultShape = {}): Promise<void> {
    const { format, filter } = this.#options;
    const isText = (format === 'table' || format === 'markdown') && !filter && !isData;
    await (isText ? writeText(this.#sink, text) : this.#sink.write(text));
  }

  async #writeTexts(texts: AsyncIterable<string>): Promise<void> {
    const { tablePager: pager } = this.#options;
    if (!pager) {
      for await (const text of texts) await this.#write(text);
      return;
    }
    const iterator = texts[Symbol.asyncIterator]();
    const start: string[] = [];
    for (let lines = 0; lines < pager.rows; ) {
      const { done, value } = await iterator.next();
      if (done) return this.#write(start.join(''));
      start.push(value);
      lines += value.split('\n').length - 1;
    }
    await pager.show(continueReading(start, iterator));
  }
}

async function* mapEachPage(
  pages: AsyncIterable<Page>,
  change: (page: Page) => Page,
): AsyncGenerator<Page> {
  for await (const page of pages) yield change(page);
}

async function* splitPages(pages: AsyncIterable<Page>, pause: Pause): AsyncGenerator<Page> {
  for await (const page of pages) {
    for (const [at, part] of splitPage(page).entries()) {
      if (at > 0) await pause();
      yield part;
    }
  }
}

type Page = readonly unknown[];

/** @throws SvcError `usage` if no record of the first page with records has a selected field */
async function selectFromPages(
  names: readonly string[],
  pages: AsyncIterable<Page>,
  columns?: readonly Column[],
) {
  const iterator = pages[Symbol.asyncIterator]();
  const read: Page[] = [];
  while ((read.at(-1)?.length ?? 0) === 0) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
  }
  const first = read.at(-1) ?? [];
  const fields = resolveFields(names, first, columns);
  if (first.length > 0) requireFields('--fields', fields, first, columns);
  return { fields, pages: continueReading(read, iterator) };
}

/** Yields the items that were read already, and then the others. */
export async function* continueReading<Item>(read: readonly Item[], iterator: AsyncIterator<Item>) {
  yield* read;
  yield* { [Symbol.asyncIterator]: () => iterator };
}

export type FilterText = (json: string) => Promise<string>;

/** Prints what a filter returns for the compact JSON of a result. */
function createFilteredRenderer(filter: FilterText, isTerminal: boolean): Renderer {
  const filtered = async (text: string) => {
    const output = await filter(text);
    return isTerminal ? escapeJsonForTerminal(output) : output;
  };
  return {
    async *records(pages) {
      const texts: string[] = [];
      for await (const page of pages) texts.push(...page.map(toJson));
      yield await filtered(`[${texts.join(',')}]`);
    },
    value: (value) => filtered(toJson(value)),
  };
}

function toJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}
