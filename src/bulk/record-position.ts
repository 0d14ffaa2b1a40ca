export interface RecordPosition {
  readonly file?: string;
  /** Null if the record was not read from a file. */
  readonly line: number | null;
}

export type LocateRecord = (at: number, line: number | null) => RecordPosition;

/** An input file, and the index of its first record in the whole input. */
export interface FileSpan {
  readonly name: string;
  readonly first: number;
}

/** Creates a function that locates records. With one file, positions contain only the line; without files, null. */
export function createRecordLocator(files: readonly FileSpan[]): LocateRecord {
  if (files.length === 0) return () => ({ line: null });
  if (files.length === 1) return (_, line) => ({ line });
  return (at, line) => {
    // An empty file starts at the same index as the next one.
    const file = files.findLast(({ first }) => first <= at)?.name;
    return file === undefined ? { line } : { file, line };
  };
}

const MAX_LISTED_FILES = 3;

/** Joins file names for messages: `users.json`, `a.json, b.csv`, `a.json and 9 more files`. */
export function joinFileNames(files: readonly Pick<FileSpan, 'name'>[]): string {
  if (files.length <= MAX_LISTED_FILES) return files.map(({ name }) => name).join(', ');
  return `${files[0]?.name} and ${files.length - 1} more files`;
}
