import type { Column } from '../catalog/define.ts';
import { requireFields, resolveFields } from './field-selection.ts';

export type Page = readonly unknown[];

/** @throws SvcError `usage` if no record of the first page with records has a selected field */
export async function selectFromPages(names: readonly string[], pages: AsyncIterable<Page>, columns?: readonly Column[]) {
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
  return { fields, pages: continueReading(read, iterator) };
}

/** Yields the items that were read already, and then the others. */
export async function* continueReading<Item>(read: readonly Item[], iterator: AsyncIterator<Item>) {
  yield* read;
  yield* { [Symbol.asyncIterator]: () => iterator };
}
