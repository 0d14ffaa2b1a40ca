import type { Column } from '../catalog/define.ts';
import type { SecretPath } from '../catalog/secrets.ts';
import type { Sink } from '../kernel/io.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import { type DisplayOptions, PIPE_DISPLAY } from './display-options.ts';
import { describeMissingField, requireFields, selectFields } from './field-selection.ts';
import { createFilteredRenderer, type FilterText } from './filtered-renderer.ts';
import type { Format } from './format.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type Renderer, singlePage, type View } from './renderer.ts';

/** How to print results. `fields` are paths such as `owner.email`, in the requested order. */
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
  /** Filter for JSON output. */
  readonly filter?: FilterText;
}

/** Description of a result. Secret paths start at the printed value, so the first part of a list's path is `*`. */
export interface ResultShape {
  readonly columns?: readonly Column[];
  readonly secrets?: readonly SecretPath[];
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
  const { fields, headers, color, display = PIPE_DISPLAY, showSecrets, filter } = options;

  const createView = ({ columns }: ResultShape): View => ({
    ...(columns && { columns }),
    ...(fields && { fields }),
    headers,
    color,
    isTerminal: sink.isTerminal,
    width: sink.columns,
    display,
  });

  const rendererFor = async (shape: ResultShape) => {
    const view = createView(shape);
    const render = RENDERERS[options.format];
    if (!filter) return render(view);
    return createFilteredRenderer(await render({ ...view, isTerminal: false }), filter, sink.isTerminal);
  };

  const present = (value: unknown, { secrets = [] }: ResultShape) => {
    const masked = showSecrets ? value : maskSecrets(value, secrets);
    return fields ? selectFields(masked, fields) : masked;
  };

  const printRecords = async (pages: AsyncIterable<readonly unknown[]>, shape: ResultShape) => {
    const renderer = await rendererFor(shape);
    const presented = mapEachPage(pages, (page) => present(page, shape) as readonly unknown[]);
    for await (const text of renderer.records(presented)) await sink.write(text);
  };

  return {
    records: (pages, shape) =>
      printRecords(fields ? checkFirstPage(pages, (page) => requireFields(fields, page, shape.columns)) : pages, shape),

    async value(value, shape) {
      if (shape.renderText && options.format === 'table' && !fields) {
        return sink.write(await shape.renderText(createView(shape)));
      }
      if (Array.isArray(value)) return printRecords(singlePage(value), shape);
      const renderer = await rendererFor(shape);
      await sink.write(await renderer.value(present(value, shape)));
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

async function* checkFirstPage(pages: AsyncIterable<Page>, check: (page: Page) => void): AsyncGenerator<Page> {
  let checked = false;
  for await (const page of pages) {
    if (!checked && page.length > 0) check(page);
    checked ||= page.length > 0;
    yield page;
  }
}
