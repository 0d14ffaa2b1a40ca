import type { Column } from '../catalog/define.ts';
import type { SecretPath } from '../catalog/secrets.ts';
import type { Sink } from '../kernel/io.ts';
import { formatNounCount } from '../kernel/plural.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import { type DisplayOptions, PIPE_DISPLAY } from './display-options.ts';
import { describeMissingField, requireFields, resolveFields, selectFields } from './field-selection.ts';
import { createFilteredRenderer, type FilterText } from './filtered-renderer.ts';
import type { Format } from './format.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type Renderer, singlePage, type View } from './renderer.ts';

/** How to print results. `fields` are paths such as `owner.email` or table headers, in the requested order. */
export interface OutputOptions {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly headers: boolean;
  readonly quiet: boolean;
  readonly showSecrets: boolean;
  readonly color: boolean;
  /** Display options (default: those for pipes). */
  readonly display?: DisplayOptions;
  /** Receives a warning if a result lacks a selected field. */
  readonly warn?: (text: string) => Promise<void>;
  /** Receives a message if a table hides columns. */
  readonly note?: (text: string) => Promise<void>;
  /** Filter for JSON output. */
  readonly filter?: FilterText;
}

/** Description of a result. Secret paths start at the printed value, so the first part of a list's path is `*`. */
export interface ResultShape {
  readonly columns?: readonly Column[];
  readonly secrets?: readonly SecretPath[];
  /** Rows and columns of the table, if they differ from the records of a list. Rows are in the order of the records. */
  readonly table?: { readonly rows: readonly object[]; readonly columns: readonly Column[] };
  /** Custom text for `table`, escaped for a terminal, for a value that is not shown as names and values. */
  readonly renderText?: (view: View) => string | Promise<string>;
}

/** Writes results to a sink. */
export interface Printer {
  /**
   * Prints the records of a list, page by page if the format allows.
   * @throws SvcError `usage`, before any output, if no record of the first page has a selected field
   */
  records(pages: AsyncIterable<readonly unknown[]>, shape: ResultShape): Promise<void>;
  /** Prints one result. A missing field is null, not an error, because a write may already have happened. */
  value(value: unknown, shape: ResultShape): Promise<void>;
  /** Prints a text on a line of its own, as `--quiet` does. Escapes it only on a terminal. */
  line(text: string): Promise<void>;
}

const RENDERERS: Readonly<Record<Format, (view: View) => Promise<Renderer>>> = {
  table: async (view) => (await import('./table.ts')).createTableRenderer(view),
  json: async (view) => (await import('./json.ts')).createJsonRenderer(view),
  ndjson: async (view) => (await import('./json.ts')).createNdjsonRenderer(view),
  yaml: async () => (await import('./yaml.ts')).yamlRenderer,
  csv: async (view) => (await import('./csv.ts')).createCsvRenderer(view),
};

export function createPrinter(sink: Sink, options: OutputOptions): Printer {
  const { headers, color, display = PIPE_DISPLAY, showSecrets, filter } = options;
  let hidden = 0;

  const createView = ({ columns }: ResultShape, fields?: readonly string[]): View => ({
    ...(columns && { columns }),
    ...(fields && { fields }),
    headers,
    color,
    isTerminal: sink.isTerminal,
    width: sink.columns,
    display,
    reportHidden: (count) => {
      hidden = count;
    },
  });

  const rendererFor = async (view: View) => {
    const render = RENDERERS[options.format];
    if (!filter) return render(view);
    return createFilteredRenderer(await render({ ...view, isTerminal: false }), filter, sink.isTerminal);
  };

  const present = (value: unknown, { secrets = [] }: ResultShape, fields?: readonly string[]) => {
    const masked = showSecrets ? value : maskSecrets(value, secrets);
    return fields ? selectFields(masked, fields) : masked;
  };

  const printRecords = async (pages: AsyncIterable<Page>, shape: ResultShape) => {
    const { fields, pages: all } = options.fields
      ? await selectFromPages(options.fields, pages, shape)
      : { pages, fields: undefined };
    const renderer = await rendererFor(createView(shape, fields));
    const presented = mapEachPage(all, (page) => present(page, shape, fields) as Page);
    for await (const text of renderer.records(presented)) await sink.write(text);
    await reportHidden();
  };

  const reportHidden = async () => {
    if (hidden > 0)
      await options.note?.(
        `${formatNounCount(hidden, 'column')} hidden; -o json or a wider terminal shows ${hidden === 1 ? 'it' : 'them'}`,
      );
    hidden = 0;
  };

  /** Rows have fields that the records lack, which `--fields` selects in every format. */
  const chooseRows = (records: Page, { table }: ResultShape): Page => {
    if (!table) return records;
    if (options.format === 'table') return table.rows;
    return options.fields ? records.map((record, at) => ({ ...table.rows[at], ...(record as object) })) : records;
  };

  const chooseShape = (shape: ResultShape): ResultShape =>
    shape.table && (options.format === 'table' || options.fields) ? { ...shape, ...shape.table } : shape;

  return {
    records: printRecords,

    async value(value, shape) {
      if (shape.renderText && options.format === 'table' && !options.fields) {
        await sink.write(await shape.renderText(createView(shape)));
        return reportHidden();
      }
      if (Array.isArray(value)) return printRecords(singlePage(chooseRows(value, shape)), chooseShape(shape));
      const fields = options.fields && resolveFields(options.fields, value);
      const renderer = await rendererFor(createView(shape, fields));
      await sink.write(await renderer.value(present(value, shape, fields)));
      const missing = fields && describeMissingField(fields, value);
      if (missing) await options.warn?.(missing);
    },

    line: (text) => sink.write(`${sink.isTerminal ? escapeForTerminal(text) : text}\n`),
  };
}

type Page = readonly unknown[];

async function* mapEachPage(pages: AsyncIterable<Page>, change: (page: Page) => Page): AsyncGenerator<Page> {
  for await (const page of pages) yield change(page);
}

/**
 * Resolves the selected fields by the first page with records, and returns all pages.
 * @throws SvcError `usage` if no record of that page has a selected field
 */
async function selectFromPages(names: readonly string[], pages: AsyncIterable<Page>, { columns }: ResultShape) {
  const iterator = pages[Symbol.asyncIterator]();
  const read: Page[] = [];
  while ((read.at(-1)?.length ?? 0) === 0) {
    const next = await iterator.next();
    if (next.done) break;
    read.push(next.value);
  }
  const first = read.at(-1) ?? [];
  const fields = resolveFields(names, first, columns);
  if (first.length > 0) requireFields(fields, first, columns);
  return { fields, pages: continuePages(read, iterator) };
}

async function* continuePages(read: readonly Page[], iterator: AsyncIterator<Page>): AsyncGenerator<Page> {
  yield* read;
  yield* { [Symbol.asyncIterator]: () => iterator };
}
