import { type CellReference, columnLetters, parseCellReference } from './cell-reference.ts';
import { NumberFormatError, type NumberText } from './number-format.ts';
import type { XmlAttributes, XmlHandler } from './read-xml.ts';
import { decodeEscapes, isTrue, MAX_TEXT_CHARACTERS, type SheetData } from './workbook.ts';

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
  /** Whether the text of the cell is correct for fields other than IDs. */
  readonly concernsOnlyIds?: boolean;
}

/** The size of a sheet in Excel. */
const [MAX_ROWS, MAX_COLUMNS] = [1_048_576, 16_384];
/** Upper bound on the characters of a row, and of the rows that are in memory together. */
const [MAX_ROW_CHARACTERS, MAX_CHARACTERS] = [16 * 1024 * 1024, 64 * 1024 * 1024];
/** Upper bound on the columns of all formulas with several results, and of all merged ranges. */
const MAX_RESULT_COLUMNS = 10_000_000;
const MAX_MERGED_RANGES = 500_000;
/** Upper bound on cells without content that are not matched by `ignored`. */
const MAX_EMPTY_CELLS = 2_000_000;

const LOST_PARTS = {
  problem: 'the sheet does not show the whole value of the cell',
  hint: 'format the column as text, and enter the values again',
  concernsOnlyIds: true,
};
const HIDDEN_TEXT = {
  problem: 'the number format of the cell hides its text',
  hint: 'format the column as text',
  concernsOnlyIds: true,
};
const NOT_CALCULATED = {
  problem: 'the formula has no stored result',
  hint: 'open the file in a spreadsheet program, and save it again',
};
const CORRECT_IT = 'correct the cell in a spreadsheet program';

/** Text of the numbers and booleans in XML. */
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const BOOLEANS: ReadonlyMap<string, string> = new Map([
  ['1', 'TRUE'],
  ['true', 'TRUE'],
  ['0', 'FALSE'],
  ['false', 'FALSE'],
]);

/** A cell whose value has no text. */
class CellError extends Error {}

interface Cell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  /** The content of `<v>`; undefined without that element. */
  value: string | undefined;
  /** The content of `<is>`; undefined without that element. */
  inlineText: string | undefined;
  hasFormula: boolean;
}

/** Unusual contents of a sheet. */
export class SheetFindings {
  /** The merged ranges, such as `A2:A5`, which the XML lists after the rows. */
  readonly mergedRanges: string[] = [];
  /** The first of the hidden rows with values. */
  firstHiddenLine: number | undefined;
  hiddenRowCount = 0;
  /** The first and last columns of ranges that a person hid, from 0. */
  readonly hiddenColumns: (readonly [first: number, last: number])[] = [];
}

/** The cells of merged ranges. Programs show only the first cell of a range. */
export class MergedCells {
  readonly #ranges: readonly (readonly [first: CellReference, last: CellReference])[];
  #next = 0;
  /** For each column: the last line of its latest range, and the line of the cell that is shown. */
  readonly #lastLines: number[] = [];
  readonly #shownLines: number[] = [];
  #columns = 0;

  constructor(ranges: readonly string[]) {
    this.#ranges = ranges
      .flatMap((range) => {
        const [first, last] = range.split(':').map(parseCellReference);
        return first && last ? [[first, last] as const] : [];
      })
      .toSorted(([a], [b]) => a.line - b.line);
  }

  /** Returns the column of the first value that a range hides. Rows must be passed in order. */
  findHiddenColumn({ line, cells }: SheetRow): number | undefined {
    for (; ; this.#next += 1) {
      const [first, last] = this.#ranges[this.#next] ?? [];
      if (!(first && last && first.line <= line)) break;
      for (let at = first.column; at <= last.column && at < MAX_COLUMNS; at += 1) {
        this.#lastLines[at] = last.line;
        this.#shownLines[at] = at === first.column ? first.line : 0;
        this.#columns += 1;
      }
      if (this.#columns > MAX_RESULT_COLUMNS) throw new Error('it has too many merged cells');
    }
    const column = cells.findIndex(
      (cell, at) =>
        cell !== undefined && line <= (this.#lastLines[at] ?? 0) && line !== this.#shownLines[at],
    );
    return column === -1 ? undefined : column;
  }
}

/** Collects the rows of a sheet from its XML. */
export class SheetRows implements XmlHandler {
  readonly #data: SheetData;
  #rows: SheetRow[] = [];
  readonly findings = new SheetFindings();
  /** Whether all rows were read. */
  isComplete = false;
  /** Matches a cell without content, which only has a format. */
  readonly ignored = /<c (?:s="\d+" )?r="[A-W]?[A-Z]{1,2}\d{1,7}"(?: s="\d+")? ?\/>/g;
  #emptyCells = 0;
  #line = 0;
  /** Whether the row or an earlier one of its cells determined the line. */
  #isNumbered = false;
  /** Whether a filter or a person hid the row. */
  #isHidden = false;
  #cells: (string | undefined)[] = [];
  #problems: CellProblem[] = [];
  #column = -1;
  #cell: Cell | undefined;
  /** The part of the cell that a text belongs to. */
  #target: 'value' | 'inlineText' | undefined;
  #isPronunciation = false;
  #rowCharacters = 0;
  #characters = 0;
  /** By column: the last line with a result of a formula in another cell. */
  readonly #lastResultLines: number[] = [];
  #resultColumns = 0;

  constructor(data: SheetData) {
    this.#data = data;
  }

  /** Returns the rows that were completed since the last call. */
  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    return rows;
  }

  open(name: string, attributes: XmlAttributes, parent: string): void {
    const cell = this.#cell;
    switch (name) {
      case 'col':
        if (parent === 'cols') this.#addColumns(attributes);
        break;
      case 'row':
        if (parent === 'sheetData') this.#startRow(attributes);
        break;
      case 'c':
        if (parent === 'row') this.#startCell(attributes);
        break;
      case 'f':
        if (cell && parent === 'c') this.#startFormula(cell, attributes);
        break;
      case 'v':
        if (!cell || parent !== 'c') break;
        cell.value = '';
        this.#target = 'value';
        break;
      case 'is':
        if (cell && parent === 'c') cell.inlineText = '';
        break;
      case 't':
        if (cell?.inlineText !== undefined && !this.#isPronunciation) this.#target = 'inlineText';
        break;
      case 'rPh':
        this.#isPronunciation = true;
        break;
      case 'mergeCell':
        this.findings.mergedRanges.push(attributes['ref']?.value ?? '');
        if (this.findings.mergedRanges.length > MAX_MERGED_RANGES)
          throw new Error('it has too many merged cells');
        break;
    }
  }

  text(text: string): void {
    if (!this.#cell || !this.#target) return;
    this.#cell[this.#target] += text;
    if ((this.#cell[this.#target]?.length ?? 0) > MAX_TEXT_CHARACTERS)
      throw new Error('a text is too long');
  }

  close(name: string): void {
    switch (name) {
      case 'row':
        if (this.#isHidden && this.#cells.length > 0) {
          this.findings.firstHiddenLine ??= this.#line;
          this.findings.hiddenRowCount += 1;
        }
        this.#rows.push({ line: this.#line, cells: this.#cells, problems: this.#problems });
        break;
      case 'sheetData':
        this.isComplete = true;
        break;
      case 'c':
        if (this.#cell) this.#endCell(this.#cell);
        this.#cell = undefined;
        break;
      case 'v':
      case 't':
        this.#target = undefined;
        break;
      case 'rPh':
        this.#isPronunciation = false;
        break;
    }
  }

  #addColumns({ min, max, hidden }: XmlAttributes): void {
    const { hiddenColumns } = this.findings;
    if (isTrue(hidden) && hiddenColumns.length < MAX_COLUMNS)
      hiddenColumns.push([Number(min?.value) - 1, Number(max?.value) - 1]);
  }

  #startRow({ r, hidden }: XmlAttributes): void {
    const number = r?.value;
    this.#isHidden = isTrue(hidden);
    const line = number === undefined ? this.#line + 1 : Number(number);
    if (!(Number.isInteger(line) && line > this.#line && line <= MAX_ROWS))
      throw new Error(`row ${this.#line} is followed by row ${line}`);
    this.#line = line;
    this.#isNumbered = number !== undefined;
    this.#cells = [];
    this.#problems = [];
    this.#column = -1;
    this.#rowCharacters = 0;
  }

  #startCell({ r, t, s }: XmlAttributes): void {
    const given = r && parseCellReference(r.value);
    if (given && !this.#isNumbered && given.line > this.#line) this.#line = given.line;
    this.#isNumbered = true;
    const column = r ? (given?.column ?? -1) : this.#column + 1;
    const isInRow = !given || given.line === this.#line;
    if (!(isInRow && column > this.#column && column < MAX_COLUMNS))
      throw new Error(`row ${this.#line} contains an invalid cell${r ? ` ${r.value}` : ''}`);
    this.#column = column;
    this.#cell = {
      column,
      type: t?.value ?? 'n',
      style: Number(s?.value ?? 0),
      value: undefined,
      inlineText: undefined,
      hasFormula: false,
    };
  }

  #startFormula(cell: Cell, { ref }: XmlAttributes): void {
    cell.hasFormula = true;
    if (!this.#data.isCalculatedOnLoad || !ref) return;
    const [, last = ''] = ref.value.split(':');
    const { column = 0, line = 0 } = parseCellReference(last) ?? {};
    for (let at = cell.column; at <= column && at < MAX_COLUMNS; at += 1)
      this.#lastResultLines[at] = Math.max(this.#lastResultLines[at] ?? 0, line);
    this.#resultColumns += column;
    if (this.#resultColumns > MAX_RESULT_COLUMNS)
      throw new Error('the formulas have too many results');
  }

  #endCell(cell: Cell): void {
    const { column } = cell;
    if (this.#isNotCalculated(cell)) {
      this.#problems.push({ column, ...NOT_CALCULATED });
      return;
    }
    try {
      const text = this.#cellText(cell);
      if (text === '') this.#countEmptyCell(cell);
      else {
        this.#cells[column] = text;
        this.#countCharacters(text.length);
      }
    } catch (error) {
      if (error instanceof NumberFormatError)
        this.#problems.push({ column, problem: error.message, hint: error.hint });
      else if (error instanceof CellError)
        this.#problems.push({ column, problem: error.message, hint: CORRECT_IT });
      else throw error;
    }
  }

  #countEmptyCell({ value, inlineText, hasFormula }: Cell): void {
    if (value !== undefined || inlineText !== undefined || hasFormula) return;
    this.#emptyCells += 1;
    if (this.#emptyCells > MAX_EMPTY_CELLS) throw new Error('it has too many empty cells');
  }

  #countCharacters(count: number): void {
    this.#rowCharacters += count;
    this.#characters += count;
    if (this.#rowCharacters > MAX_ROW_CHARACTERS)
      throw new Error(`row ${this.#line} is longer than 16 MB`);
    if (this.#characters > MAX_CHARACTERS)
      throw new Error(`the rows before row ${this.#line} have too much text`);
  }

  /** Whether the file has no result of the formula, or a result from before it was changed. */
  #isNotCalculated({ type, column, value, inlineText, hasFormula }: Cell): boolean {
    if (!hasFormula && (this.#lastResultLines[column] ?? 0) < this.#line) return false;
    if (this.#data.isCalculatedOnLoad) return true;
    if (type === 'inlineStr' && inlineText !== undefined) return false;
    return value === undefined || (value === '' && type !== 'str');
  }

  #cellText(cell: Cell): string {
    const { type, value = '', inlineText } = cell;
    if (inlineText !== undefined && (type === 'inlineStr' || value === ''))
      return this.#showText(cell, decodeEscapes(inlineText));
    switch (type) {
      case 'str':
      case 'inlineStr':
        return this.#showText(cell, decodeEscapes(value));
      case 'e':
        return value;
      default:
        return value.trim() === '' ? '' : this.#formatValue(cell, value.trim());
    }
  }

  #showText({ column, style }: Cell, text: string): string {
    const shown = this.#data.formats.formatText(text, style);
    if (!shown.includes(text)) this.#problems.push({ column, ...HIDDEN_TEXT });
    return shown;
  }

  #formatValue(cell: Cell, value: string): string {
    const { type, column, style } = cell;
    switch (type) {
      case 's':
        return this.#showText(cell, this.#sharedText(column, value));
      case 'b':
        return BOOLEANS.get(value.toLowerCase()) ?? fail(`'${value}' is not a boolean`);
      case 'd':
        return this.#takeText(
          column,
          this.#data.formats.formatDate(value, style) ?? fail(`'${value}' is not a date`),
        );
      case 'n':
        if (!NUMBER.test(value) || !Number.isFinite(Number(value)))
          return fail(`'${value}' is not a number`);
        return this.#takeText(column, this.#data.formats.formatNumber(value, style));
      default:
        return fail(`a cell of the unknown type '${type}'`);
    }
  }

  #takeText(column: number, { text, isExact }: NumberText): string {
    if (!isExact) this.#problems.push({ column, ...LOST_PARTS });
    return text;
  }

  #sharedText(column: number, index: string): string {
    const text = /^\d+$/.test(index) ? this.#data.strings.get(Number(index)) : undefined;
    if (text !== undefined) return text;
    throw new Error(`the text of cell ${columnLetters(column)}${this.#line} is missing`);
  }
}

function fail(message: string): never {
  throw new CellError(message);
}
