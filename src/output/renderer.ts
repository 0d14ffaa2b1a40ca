import type { Column } from '../catalog/define.ts';
import type { DisplayOptions } from './display-options.ts';

/** Settings of a renderer. `width` is undefined if lines have no limit. */
export interface View {
  readonly columns?: readonly Column[];
  readonly fields?: readonly string[];
  readonly headers: boolean;
  readonly color: boolean;
  readonly isTerminal: boolean;
  readonly width: number | undefined;
  readonly display: DisplayOptions;
  readonly reportHidden?: (count: number) => void;
}

/**
 * Renders records or a single value in one format. The text ends with a line break, or is empty.
 */
export interface Renderer {
  records(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string>;
  value(value: unknown): string | Promise<string>;
}

export async function* singlePage<Page>(page: Page): AsyncGenerator<Page> {
  yield page;
}
