/** Where a record stands. A line alone says it as long as all of them are in one file. */
export interface RecordPlace {
  /** As messages call it. */
  readonly file?: string;
  /** Null when it was not read from a file. */
  readonly line: number | null;
}

/** The place of a record, given its position among all records and its line. */
export type PlaceOf = (at: number, line: number | null) => RecordPlace;

/** A file whose records stand among those of others. */
export interface Stretch {
  /** As messages call it: the path as it was given, or `stdin`. */
  readonly name: string;
  /** The position of its first record. */
  readonly first: number;
}

/** Says of records in which of these files they stand; of the only file it says nothing. */
export function placesIn(files: readonly Stretch[]): PlaceOf {
  if (files.length === 1) return (_, line) => ({ line });
  return (at, line) => {
    const file = files[lastUpTo(files, at)]?.name;
    return file === undefined ? { line } : { file, line };
  };
}

/** The last file that begins at a position or before it: files without records begin where the next one does. */
function lastUpTo(files: readonly Stretch[], at: number): number {
  let [low, high] = [0, files.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((files[middle]?.first ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Names that are said one by one. */
const MOST_NAMED = 3;

/** What messages call files together: `users.json`, `a.json, b.csv`, `a.json and 9 more files`. */
export function nameOfAll(files: readonly Pick<Stretch, 'name'>[]): string {
  if (files.length <= MOST_NAMED) return files.map(({ name }) => name).join(', ');
  return `${files[0]?.name} and ${files.length - 1} more files`;
}
