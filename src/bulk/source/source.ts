import type { InputFormat } from '../../catalog/bulk-options.ts';
import { SvcError } from '../../kernel/errors.ts';

/** A position in an input. Line and column count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of an error. A sheet has cells instead of columns: `Sheet1!B7`. */
export interface ErrorPosition extends Partial<Position> {
  readonly cell?: string;
}

export interface SourceRecord extends Position {
  readonly value: unknown;
  readonly text: string;
  /** Whether the texts in the value are known to consist of ordinary characters. */
  readonly isPlain?: boolean;
}

/**
 * Consecutive records of an input. Reading in chunks avoids an asynchronous step per record, which
 * costs more than parsing.
 */
export type RecordChunk = readonly SourceRecord[];

/** A field of the object that contains the list of records. */
export interface BesideField extends Position {
  readonly name: string;
  readonly value: unknown;
}

/** A list of records, and the fields beside it. */
export interface ReadList {
  readonly beside: readonly BesideField[];
  /** Reads the records from the beginning. */
  read(): AsyncIterable<RecordChunk>;
}

export function createUnreadableRecord(
  text: string,
  position: Position,
  error: InputError,
): SourceRecord {
  return {
    ...position,
    text,
    get value(): never {
      throw error;
    },
  };
}

/** The line of the first row without values, and the number of such rows. */
export interface EmptyRows {
  readonly firstLine: number;
  readonly count: number;
}

export interface Source {
  readonly name: string;
  readonly format: InputFormat;
  readonly isVerbatim: boolean;
  /**
   * The fields beside the list of records, with the names of `--map`. Each record already contains
   * the target fields among them.
   */
  readonly beside: readonly BesideField[];
  readonly recordChunks: AsyncIterable<RecordChunk>;
  /**
   * Fields in the header of a CSV file. An empty cell in such a column is an absent field.
   * Available after the first chunk.
   */
  columns?(): readonly string[];
  /** Returns the name of a field's column in the header. */
  heading?(field: string): string | undefined;
  /** Returns the cell of a field in a row of a sheet; the first cell without a field. */
  cellOf?(line: number, field?: string): string;
  /** Warnings about the file. Available after it was read. */
  warnings?(): readonly { readonly line: number; readonly message: string }[];
  /** The CSV rows that were skipped because they have no values. */
  emptyRows?(): EmptyRows;
  /**
   * Text at the start of a file of these records: the header of a CSV file. Available after the
   * first chunk.
   */
  preamble(): string;
  /**
   * Returns the text of a record with its ID, in the format of a file that starts with the
   * preamble.
   */
  withField(record: SourceRecord, idField: string, id: string): string;
}

/** Upper bound on the length of a record. A longer one usually has an unclosed quote or bracket. */
export const MAX_RECORD_CHARACTERS = 16 * 1024 * 1024;

/**
 * An error that prevents reading the rest of an input: exit code 3, `users.json:3:14: the problem`.
 */
export class InputError extends SvcError {
  readonly position: ErrorPosition;
  readonly problem: string;
  readonly #name: string;

  constructor(name: string, position: ErrorPosition, problem: string, hint?: string) {
    const { cell, line, column } = position;
    const location = (cell === undefined ? [name, line, column] : [name, cell])
      .filter((part) => part !== undefined)
      .join(':');
    super('invalid_input', `${location}: ${problem}`, hint === undefined ? {} : { hint });
    this.position = position;
    this.problem = problem;
    this.#name = name;
  }

  with({
    problem = this.problem,
    hint = this.hint,
  }: {
    problem?: string;
    hint?: string | undefined;
  }): InputError {
    return new InputError(this.#name, this.position, problem, hint);
  }
}

/** The header of a table is probably not its first row, but a later one. */
export class OtherRowError extends InputError {
  readonly row: OtherRow;

  constructor(name: string, { position, problem }: InputError, row: OtherRow) {
    super(
      name,
      position,
      problem,
      `for the header in row ${row.later.row}, add --header-row ${row.later.row}`,
    );
    this.row = row;
  }
}

interface HeaderCandidate {
  /** Number of the row in the file or sheet. */
  readonly row: number;
  readonly columns: readonly string[];
}

/** The first row with values, and a later one that has the ID column. */
export interface OtherRow {
  readonly first: HeaderCandidate;
  readonly later: HeaderCandidate;
}

export function positionWithin(text: string, offset: number, start: Position): Position {
  const before = text.slice(0, offset);
  const lines = countLineBreaks(before);
  if (lines === 0) return { line: start.line, column: start.column + before.length };
  const lastBreak = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r'));
  return { line: start.line + lines, column: before.length - lastBreak };
}

const [LINE_FEED, RETURN] = [0x0a, 0x0d];

/** Counts LF, CRLF, and CR. */
export function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LINE_FEED || (code === RETURN && text.charCodeAt(at + 1) !== LINE_FEED))
      count += 1;
  }
  return count;
}
