/** Rows per statement. Large enough to amortize the fixed cost, and well below the limits of all databases. */
export const ROWS_PER_STATEMENT = 100;

export function* chunkRows<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT);
}

/** Keeps the last record of each ID and splits the records into chunks. A statement cannot write a row twice. */
export function chunkDistinctRows<Item>(items: readonly Item[], idOf: (record: Item) => string): Generator<readonly Item[]> {
  return chunkRows([...new Map(items.map((record) => [idOf(record), record])).values()]);
}

/** Pads the list with its last key to a power of two. With fewer different lengths, fewer statements are compiled. */
export function padKeys<Key>(keys: readonly Key[]): readonly Key[] {
  const last = keys.at(-1);
  if (last === undefined) return keys;
  return [...keys, ...Array<Key>(2 ** Math.ceil(Math.log2(keys.length)) - keys.length).fill(last)];
}
