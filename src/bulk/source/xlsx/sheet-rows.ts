import { LostDigitsError } from './cell-formats.ts';
import { columnLetters, columnNumber } from './cell-reference.ts';
import type { XmlAttributes, XmlHandler } from './read-xml.ts';
import { decodeEscapes, type SheetData } from './workbook.ts';

export interface SheetRow {
  readonly line: number;
  /** Texts by column, from 0. Missing for cells without a value. */
  readonly cells: readonly (string | undefined)[];
  readonly problems: readonly CellProblem[];
}

export interface CellProblem {
  /** Column from 0. */
  readonly column: number;
  readonly problem: string;
  readonly hint: string;
}

/** The size of a sheet in Excel. */
const [MAX_ROWS, MAX_COLUMNS] = [1_048_576, 16_384];

const LOST_DIGITS = {
  problem: 'the sheet does not show all digits of the number',
  hint: 'format the column as text, and enter the values again',
};
const NOT_CALCULATED = {
  problem: 'the formula has no stored result',
  hint: 'open the file in a spreadsheet program, and save it again',
};

/** Collects the rows of a sheet from its XML. */
export class SheetRows implements XmlHandler {
  readonly #data: SheetData;
  #rows: SheetRow[] = [];
  /** The merged ranges, such as `A2:A5`, which the XML lists after the rows. */
  readonly merged: string[] = [];
  #line = 0;
  #cells: (string | undefined)[] = [];
  #problems: CellProblem[] = [];
  #column = -1;
  #type = '';
  #style = 0;
  #text = '';
  #isText = false;
  #isPronunciation = false;
  #hasFormula = false;
  #hasValue = false;

  constructor(data: SheetData) {
    this.#data = data;
  }

  /** Returns the rows that were completed since the last call. */
  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case 'row':
        this.#startRow(Number(attributes['r'] ?? this.#line + 1));
        break;
      case 'c':
        this.#startCell(attributes);
        break;
      case 'f':
        this.#hasFormula = true;
        break;
      case 'v':
        this.#isText = true;
        this.#hasValue = true;
        break;
      case 't':
        this.#isText = !this.#isPronunciation;
        this.#hasValue = true;
        break;
      case 'rPh':
        this.#isPronunciation = true;
        break;
      case 'mergeCell':
        this.merged.push(attributes['ref'] ?? '');
        break;
    }
  }

  text(text: string): void {
    if (this.#isText) this.#text += text;
  }

  close(name: string): void {
    switch (name) {
      case 'row':
        this.#rows.push({ line: this.#line, cells: this.#cells, problems: this.#problems });
        break;
      case 'c':
        this.#endCell();
        break;
      case 'v':
      case 't':
        this.#isText = false;
        break;
      case 'rPh':
        this.#isPronunciation = false;
        break;
    }
  }

  #startRow(line: number): void {
    if (!(Number.isInteger(line) && line > this.#line && line <= MAX_ROWS))
      throw new Error(`row ${this.#line} is followed by row ${line}`);
    this.#line = line;
    this.#cells = [];
    this.#problems = [];
    this.#column = -1;
  }

  #startCell({ r, t, s }: XmlAttributes): void {
    const column = r === undefined ? this.#column + 1 : columnNumber(r);
    if (!(column > this.#column && column < MAX_COLUMNS))
      throw new Error(
        `row ${this.#line} contains an invalid cell${r === undefined ? '' : ` ${r}`}`,
      );
    this.#column = column;
    this.#type = t ?? 'n';
    this.#style = s === undefined ? 0 : Number(s);
    this.#text = '';
    this.#hasFormula = false;
    this.#hasValue = false;
  }

  #endCell(): void {
    const column = this.#column;
    if (!this.#hasValue) {
      if (this.#hasFormula) this.#problems.push({ column, ...NOT_CALCULATED });
      return;
    }
    try {
      const text = this.#cellText();
      if (text !== '') this.#cells[column] = text;
    } catch (error) {
      if (!(error instanceof LostDigitsError)) throw error;
      this.#problems.push({ column, ...LOST_DIGITS });
    }
  }

  #cellText(): string {
    const text = this.#text;
    switch (this.#type) {
      case 's': {
        const shared = this.#data.strings.get(Number(text));
        if (shared !== undefined) return shared;
        throw new Error(`the text of cell ${columnLetters(this.#column)}${this.#line} is missing`);
      }
      case 'b':
        return text === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        return text === '' ? '' : this.#data.formats.formatNumber(text, this.#style);
      // An error such as #N/A, or a date in ISO 8601.
      case 'e':
      case 'd':
        return text;
      default:
        return decodeEscapes(text);
    }
  }
}
