import { SvcError } from '../../kernel/errors.ts';

export type InputFormat = 'json' | 'ndjson' | 'csv' | 'yaml';

/** Where something stands in an input; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One record as an input holds it: its value, its place, and its own text to give it back unchanged. */
export interface SourceRecord extends Place {
  readonly value: unknown;
  readonly text: string;
}

/** Consecutive records of an input. They come in blocks, because an asynchronous step for each costs more than reading it. */
export type Block = readonly SourceRecord[];

export interface Source {
  /** As messages call it: the path as it was given, or `stdin`. */
  readonly name: string;
  readonly format: InputFormat;
  /** What a record is, its text is as JSON. */
  readonly isVerbatim: boolean;
  readonly blocks: AsyncIterable<Block>;
  /** What a file of these records begins with: the header of a CSV file. Known once the first block has come. */
  preamble(): string;
  /** The text of a record with its id, as a file that begins with the preamble can hold it. */
  withField(record: SourceRecord, idField: string, id: string): string;
}

/** No single record is longer: what seems to be is most often a quote or bracket left open. */
export const MOST_RECORD_CHARACTERS = 16 * 1024 * 1024;

/** What is wrong with an input as a whole, so that it cannot be read on: exit 3, `users.json:3:14: what is wrong`. */
export class InputError extends SvcError {
  readonly place: Partial<Place>;
  readonly problem: string;
  readonly #name: string;

  constructor(name: string, place: Partial<Place>, problem: string, hint?: string) {
    const where = [name, place.line, place.column].filter((part) => part !== undefined).join(':');
    super('bad_data', `${where}: ${problem}`, hint === undefined ? {} : { hint });
    this.place = place;
    this.problem = problem;
    this.#name = name;
  }

  withHint(hint: string): InputError {
    return new InputError(this.#name, this.place, this.problem, hint);
  }
}

/** The place of an offset in a text that itself begins at `start`. */
export function placeWithin(text: string, offset: number, start: Place): Place {
  const lines = text.slice(0, offset).split(/\r\n|\n|\r/);
  const last = lines.at(-1) ?? '';
  if (lines.length === 1) return { line: start.line, column: start.column + last.length };
  return { line: start.line + lines.length - 1, column: last.length + 1 };
}
