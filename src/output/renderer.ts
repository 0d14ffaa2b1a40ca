import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/json.ts';
import type { Pause } from '../kernel/run-in-slices.ts';
import type { DisplayOptions } from './display-options.ts';

/** Settings of a renderer. `width` is undefined if lines have no limit. */
export interface View {
  readonly columns?: readonly Column[];
  readonly fields?: readonly string[];
  readonly headers: boolean;
  /** Whether CSV begins with a byte order mark. */
  readonly bom?: boolean;
  readonly color: boolean;
  readonly isTerminal: boolean;
  readonly width: number | undefined;
  readonly display: DisplayOptions;
  readonly reportHidden?: (count: number) => void;
  /** Pauses a long computation for signals and timers. */
  readonly pause?: Pause;
}

/** A text, or the parts of one, which may be longer than a string can be (2^29 characters). */
export type Texts = string | Iterable<string>;

export function joinTexts(texts: Texts): string {
  return typeof texts === 'string' ? texts : [...texts].join('');
}

/**
 * Renders records or a single value in one format. The text ends with a line break, or is empty.
 */
export interface Renderer {
  records(pages: AsyncIterable<readonly unknown[]>): AsyncIterable<string>;
  value(value: unknown): Texts | Promise<Texts>;
}

/** Number of records to render at once, so that a long list can be interrupted. */
export const RECORDS_PER_PART = 1_000;

/** Splits a page into parts, at least one. */
export function splitPage<Item>(page: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.max(1, Math.ceil(page.length / RECORDS_PER_PART));
  return Array.from({ length: count }, (_, at) =>
    page.slice(at * RECORDS_PER_PART, (at + 1) * RECORDS_PER_PART),
  );
}

/** Whether a value is an object with a list that is longer than a part. */
export function hasLongList(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && Object.values(value).some(isLongList);
}

export function isLongList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > RECORDS_PER_PART;
}

export async function* singlePage<Page>(page: Page): AsyncGenerator<Page> {
  yield page;
}
