/** Rows per statement: enough to amortize its fixed cost, and well below every database's limit on values. */
export const ROWS_PER_STATEMENT = 100;

/** Splits rows into chunks for one statement each. */
export function* chunkRows<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT);
}

/** Keeps the last record of each ID, and splits the records into chunks. A statement must not write a row twice. */
export function chunkDistinctRows<Item>(
  items: readonly Item[],
  idOf: (record: Item) => string,
): Generator<readonly Item[]> {
  return chunkRows([...new Map(items.map((record) => [idOf(record), record])).values()]);
}

/**
 * Repeats the last key until the list's length is a power of two, so that `in` lists have few different lengths, and few
 * statements are compiled.
 */
export function padKeys(keys: readonly number[]): readonly number[] {
  const last = keys.at(-1);
  if (last === undefined) return keys;
  return [...keys, ...Array<number>(2 ** Math.ceil(Math.log2(keys.length)) - keys.length).fill(last)];
}
