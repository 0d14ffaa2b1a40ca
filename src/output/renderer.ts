import type { Column } from '../catalog/define.ts';
import type { Look } from './look.ts';

/** What a format may know of where and how its text is shown. `width` is undefined where lines have no end. */
export interface View {
  readonly columns?: readonly Column[];
  readonly fields?: readonly string[];
  readonly headers: boolean;
  readonly color: boolean;
  readonly isTerminal: boolean;
  readonly width: number | undefined;
  /** Of values in tables. */
  readonly look: Look;
}

/** One format: turns records or a single value into text that ends with a line break, or is empty. */
export interface Renderer {
  records(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string>;
  value(value: unknown): string | Promise<string>;
}

/** All records at once, for a format that has to see the last one before it can write the first. */
export async function collect(pages: AsyncIterable<readonly unknown[]>): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  for await (const page of pages) for (const record of page) records.push(record);
  return records;
}

/** Records that are all there already, as the pages that a format takes. */
export async function* onePage<Page>(page: Page): AsyncGenerator<Page> {
  yield page;
}
