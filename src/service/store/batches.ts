/** Rows that one statement writes: what a statement costs beside its rows is spread well, and no database's limit on values is near. */
export const ROWS_PER_STATEMENT = 100;

/** The rows in parts that one statement each may hold. */
export function* batchesOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) yield rows.slice(at, at + ROWS_PER_STATEMENT);
}

/** As `batchesOf`, with only the last record of each id: no statement may write a row twice. */
export function distinctBatchesOf<Given>(
  given: readonly Given[],
  idOf: (record: Given) => string,
): Generator<readonly Given[]> {
  return batchesOf([...new Map(given.map((record) => [idOf(record), record])).values()]);
}

/**
 * The keys with the last one repeated up to a power of two: lists for `in` of few different lengths, so that few
 * statements have to be compiled.
 */
export function paddedKeys(keys: readonly number[]): readonly number[] {
  const last = keys.at(-1);
  if (last === undefined) return keys;
  return [...keys, ...Array<number>(2 ** Math.ceil(Math.log2(keys.length)) - keys.length).fill(last)];
}
