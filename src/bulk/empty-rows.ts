import { formatNounCount } from '../kernel/plural.ts';
import type { Diagnostic } from './diagnostic.ts';

/** How to fix empty rows. */
export const EMPTY_ROWS_HINT = 'delete the rows without values; spreadsheets often export some at the end';

/** Groups consecutive rows without values, so that hundreds at the end of a spreadsheet are one problem. */
export class EmptyRows {
  #firstLine = 0;
  #count = 0;
  #lastIndex = -1;

  /** Adds a row. Returns the problem of the rows before it, if they are not consecutive. */
  add(line: number, index: number): Diagnostic | undefined {
    const earlier = index === this.#lastIndex + 1 ? undefined : this.take();
    if (this.#count === 0) this.#firstLine = line;
    this.#count += 1;
    this.#lastIndex = index;
    return earlier;
  }

  /** Returns the problem of the rows since the last call. @param read number of records read, at the end of the file */
  take(read?: number): Diagnostic | undefined {
    if (this.#count === 0) return undefined;
    const place = this.#lastIndex + 1 === read ? ' at the end of the file' : '';
    const message = `${formatNounCount(this.#count, 'row')} without values${place}`;
    this.#count = 0;
    return { line: this.#firstLine, column: 1, message };
  }
}
