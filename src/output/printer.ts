import type { Column } from '../catalog/define.ts';
import type { SecretPath } from '../catalog/secrets.ts';
import type { Sink } from '../kernel/io.ts';
import { safeText } from '../kernel/safe-text.ts';
import { type FilterText, filteredRenderer } from './filtered.ts';
import type { Format } from './format.ts';
import { type Look, PLAIN_LOOK } from './look.ts';
import { maskSecrets } from './mask.ts';
import { onePage, type Renderer, type View } from './renderer.ts';
import { missingField, requireFields, select } from './select.ts';

/** How results are shown. `fields` are paths such as `owner.email`, in the order asked for. */
export interface OutputOptions {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly headers: boolean;
  readonly quiet: boolean;
  readonly showSecrets: boolean;
  readonly color: boolean;
  /** What pipes get where it is left out. */
  readonly look?: Look;
  /** Hears of a selected field that one result lacks. */
  readonly warn?: (text: string) => Promise<void>;
  /** What a JSON format goes through before it is printed. */
  readonly filter?: FilterText;
}

/** What is known of a result before it comes. Secret paths count from the top of what is printed: of a list, `*` first. */
export interface Shape {
  readonly columns?: readonly Column[];
  readonly secrets?: readonly SecretPath[];
  /** What `table` shows of one value that has a better form than names and values: a text safe for a terminal. */
  readonly drawing?: (view: View) => string | Promise<string>;
}

/** Writes results, and nothing else, to one sink. */
export interface Printer {
  /**
   * The records of a list, written as their pages come in where the format allows.
   * @throws SvcError `usage`, before anything is written, when a selected field is in no record of the first page.
   */
  records(pages: AsyncIterable<readonly unknown[]>, shape: Shape): Promise<void>;
  /** One result. It may be of a write that has happened, so it is always printed: a field that it lacks is null. */
  value(value: unknown, shape: Shape): Promise<void>;
  /** A text alone in its line, as `--quiet` asks for: to a program as it is. */
  bare(text: string): Promise<void>;
}

const RENDERERS: Readonly<Record<Format, (view: View) => Promise<Renderer>>> = {
  table: async (view) => (await import('./table.ts')).tableRenderer(view),
  json: async (view) => (await import('./json.ts')).jsonRenderer(view),
  ndjson: async (view) => (await import('./json.ts')).ndjsonRenderer(view),
  yaml: async () => (await import('./yaml.ts')).yamlRenderer,
  csv: async (view) => (await import('./csv.ts')).csvRenderer(view),
};

export function createPrinter(sink: Sink, options: OutputOptions): Printer {
  const { fields, headers, color, look = PLAIN_LOOK, showSecrets, filter } = options;

  const viewOf = ({ columns }: Shape): View => ({
    ...(columns && { columns }),
    ...(fields && { fields }),
    headers,
    color,
    isTerminal: sink.isTerminal,
    width: sink.columns,
    look,
  });

  const rendererFor = async (shape: Shape) => {
    const view = viewOf(shape);
    const render = RENDERERS[options.format];
    if (!filter) return render(view);
    return filteredRenderer(await render({ ...view, isTerminal: false }), filter, sink.isTerminal);
  };

  const presented = (value: unknown, { secrets = [] }: Shape) => {
    const shown = showSecrets ? value : maskSecrets(value, secrets);
    return fields ? select(shown, fields) : shown;
  };

  const printRecords = async (pages: AsyncIterable<readonly unknown[]>, shape: Shape) => {
    const renderer = await rendererFor(shape);
    const shown = mapPages(pages, (page) => presented(page, shape) as readonly unknown[]);
    for await (const text of renderer.records(shown)) await sink.write(text);
  };

  return {
    records: (pages, shape) =>
      printRecords(fields ? checkFirstPage(pages, (page) => requireFields(fields, page, shape.columns)) : pages, shape),

    async value(value, shape) {
      if (shape.drawing && options.format === 'table' && !fields) {
        return sink.write(await shape.drawing(viewOf(shape)));
      }
      if (Array.isArray(value)) return printRecords(onePage(value), shape);
      const renderer = await rendererFor(shape);
      await sink.write(await renderer.value(presented(value, shape)));
      const missing = fields && missingField(fields, value);
      if (missing) await options.warn?.(missing);
    },

    bare: (text) => sink.write(`${sink.isTerminal ? safeText(text) : text}\n`),
  };
}

type Page = readonly unknown[];

async function* mapPages(pages: AsyncIterable<Page>, change: (page: Page) => Page): AsyncGenerator<Page> {
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
