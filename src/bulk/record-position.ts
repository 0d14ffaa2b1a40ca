import type { FileSpan } from './journal/job-description.ts';
import type { RecordChunk } from './source/source.ts';

export interface RecordPosition {
  readonly file?: string;
  /** Null if the record was not read from a file. */
  readonly line: number | null;
}

/**
 * Upper bound on line numbers. A line of a grouped input with several files includes the file,
 * because its index does not.
 */
const LINE_LIMIT = 2 ** 32;

/** Combines the index of a file and a line number. `createRecordLocator` separates them. */
export function lineOfFile(file: number, line: number): number {
  return (file + 1) * LINE_LIMIT + line;
}

export type LocateRecord = (at: number, line: number | null) => RecordPosition;

/**
 * Creates a function that locates records. With one file, positions contain only the line. Records
 * that come from flags or `--data` have no line.
 */
export function createRecordLocator(files: readonly FileSpan[]): LocateRecord {
  const [first] = files;
  if (first === undefined || first.path === '') return () => ({ line: null });
  if (files.length === 1) return (_, line) => ({ line });
  return (at, line) => {
    const grouped = line === null ? 0 : Math.floor(line / LINE_LIMIT);
    // An empty file starts at the same index as the next one.
    const file = (grouped > 0 ? files[grouped - 1] : files.findLast(({ first }) => first <= at))
      ?.name;
    if (line !== null && grouped > 0)
      return { ...(file !== undefined && { file }), line: line % LINE_LIMIT };
    return file === undefined ? { line } : { file, line };
  };
}

const MAX_LISTED_FILES = 3;

/** Joins file names for messages: `users.json`, `a.json, b.csv`, `a.json and 9 more files`. */
export function joinFileNames(files: readonly Pick<FileSpan, 'name'>[]): string {
  if (files.length <= MAX_LISTED_FILES) return files.map(({ name }) => name).join(', ');
  return `${files[0]?.name} and ${files.length - 1} more files`;
}

export class SharedLines {
  #chunk: RecordChunk = [];
  #before = 0;
  #lastLine = 0;

  startChunk(chunk: RecordChunk): void {
    this.#before += this.#chunk.length;
    this.#lastLine = this.#chunk.at(-1)?.line ?? this.#lastLine;
    this.#chunk = chunk;
  }

  positionAt(at: number): {
    readonly line: number;
    readonly column: number;
    readonly record?: number;
  } {
    const { line = 0, column = 1 } = this.#chunk[at] ?? {};
    const lineBefore = at > 0 ? this.#chunk[at - 1]?.line : this.#lastLine;
    const isShared = line === lineBefore || line === this.#chunk[at + 1]?.line;
    return { line, column, ...(isShared && { record: this.#before + at + 1 }) };
  }
}
