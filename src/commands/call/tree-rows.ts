import type { Column } from '../../catalog/define.ts';
import { isObject } from '../../kernel/json.ts';

export const DEPTH_COLUMN: Column = { header: 'DEPTH', field: 'depth', hideOrder: 4 };

/** Turns trees of records into rows with their depth, parents first. */
export async function* flattenTrees(
  pages: AsyncIterable<readonly unknown[]>,
  children: string,
): AsyncGenerator<readonly unknown[]> {
  for await (const records of pages) yield records.flatMap((record) => rowsOf(record, children, 0));
}

function rowsOf(record: unknown, children: string, depth: number): readonly unknown[] {
  if (!isObject(record)) return [record];
  const { [children]: nested, ...fields } = record;
  const below = Array.isArray(nested) ? nested : [];
  return [{ ...fields, depth }, ...below.flatMap((each) => rowsOf(each, children, depth + 1))];
}
