import type { Column } from '../catalog/define.ts';
import type { SecretPath } from '../catalog/secrets.ts';
import type { Sink } from '../kernel/io.ts';
import type { Format } from './format.ts';
import { maskSecrets } from './mask.ts';
import type { Renderer, View } from './renderer.ts';
import { requireFields, select } from './select.ts';

/** How results are shown. `fields` are paths such as `owner.email`, in the order asked for. */
export interface OutputOptions {
  readonly format: Format;
  readonly fields?: readonly string[];
  readonly headers: boolean;
  readonly quiet: boolean;
  readonly showSecrets: boolean;
  readonly color: boolean;
}

/** What is known of a result before it comes. Secret paths count from the top of what is printed: of a list, `*` first. */
export interface Shape {
  readonly columns?: readonly Column[];
  readonly secrets?: readonly SecretPath[];
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
}

const RENDERERS: Readonly<Record<Format, (view: View) => Promise<Renderer>>> = {
  table: async (view) => (await import('./table.ts')).tableRenderer(view),
  json: async (view) => (await import('./json.ts')).jsonRenderer(view),
  ndjson: async (view) => (await import('./json.ts')).ndjsonRenderer(view),
  yaml: async () => (await import('./yaml.ts')).yamlRenderer,
  csv: async (view) => (await import('./csv.ts')).csvRenderer(view),
};

export function createPrinter(sink: Sink, options: OutputOptions): Printer {
  const { fields, headers, color, showSecrets } = options;

  const rendererFor = ({ columns }: Shape) =>
    RENDERERS[options.format]({
      ...(columns && { columns }),
      ...(fields && { fields }),
      headers,
      color,
      isTerminal: sink.isTerminal,
      width: sink.columns,
    });

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
      if (Array.isArray(value)) return printRecords(onePage(value), shape);
      const renderer = await rendererFor(shape);
      await sink.write(await renderer.value(presented(value, shape)));
    },
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

async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page;
}
