import { restoreFormula } from '../../kernel/formula-text.ts';
import {
  type CsvDialect,
  type DialectRequest,
  detectDialect,
  hasSampleRows,
} from './csv-dialect.ts';
import { countLineBreaks, InputError, MAX_RECORD_CHARACTERS, positionWithin } from './source.ts';
import { TextSegment } from './text-segment.ts';

/**
 * Receives a CSV row: its cells, its text without the line break, and the number of its first line.
 */
type OnRow = (cells: readonly string[], text: string, line: number) => void;

interface CsvCell {
  readonly value: string;
  readonly end: number;
  readonly last: boolean;
}

/** Splits CSV text into rows as chunks arrive, according to RFC 4180. Skips blank lines. */
export class CsvRowParser {
  readonly #name: string;
  readonly #onRow: OnRow;
  #request: DialectRequest = {};
  #dialect: CsvDialect | undefined;
  #text = '';
  #rowStart = 0;
  #line = 1;
  /**
   * Length of `#text` at which an incomplete row is parsed again: twice the last length, for linear
   * time.
   */
  #lengthToRetry = 0;
  #ended = false;
  /**
   * The line before the header that names the separator, as Excel writes it: `sep=;` with its line
   * break.
   */
  separatorLine = '';
  /** The text that contains the last row. Undefined if a cell may contain a line break. */
  segment: TextSegment | undefined;

  constructor(name: string, onRow: OnRow, dialect: CsvDialect | DialectRequest = {}) {
    this.#name = name;
    this.#onRow = onRow;
    if ('delimiter' in dialect) this.#dialect = dialect;
    else this.#request = dialect;
  }

  get delimiter(): string {
    return this.#dialect?.delimiter ?? ',';
  }

  /**
   * Parses the rows that the next chunk completes.
   * @throws SvcError `invalid_input` for invalid text after them
   */
  push(chunk: string): void {
    this.#text += chunk;
    if (this.#text.length < this.#lengthToRetry || !this.#skipToHeader()) return;
    // A carriage return at the end of the chunk may be the first half of a CRLF.
    const firstLineIsWhole = /[\r\n]./s.test(this.#text);
    const isDetectable = this.#dialect !== undefined || hasSampleRows(this.#text);
    if (firstLineIsWhole && (isDetectable || this.#text.length > MAX_UNDETECTED)) this.#readRows();
    this.#text = this.#text.slice(this.#rowStart);
    this.#rowStart = 0;
    this.#lengthToRetry = this.#text.length > chunk.length ? 2 * this.#text.length : 0;
    if (this.#text.length <= MAX_RECORD_CHARACTERS) return;
    const problem = 'the row is longer than 16 MB';
    throw new InputError(this.#name, { line: this.#line }, problem, 'check for an unclosed quote');
  }

  end(): void {
    this.#ended = true;
    this.#skipToHeader();
    this.#readRows();
  }

  /**
   * Skips the lines before the row that is given as the header, whatever they contain. Returns false
   * if more text is needed.
   */
  #skipToHeader(): boolean {
    const { headerRow = 1, separator } = this.#request;
    if (this.#line >= headerRow) return true;
    const text = this.#text;
    const lineBreak = /\r*\n|\r(?=[^\n])/.exec(text)?.[0] === '\r' ? /\r/g : /\n/g;
    if (this.#line === 1) {
      const [preface = '', delimiter] = SEPARATOR_LINE.exec(text) ?? [];
      this.separatorLine = preface;
      this.#request = { ...this.#request, separator: separator ?? delimiter };
    }
    let end = 0;
    while (this.#line < headerRow && lineBreak.test(text)) {
      end = lineBreak.lastIndex;
      this.#line += 1;
    }
    const isFound = this.#line >= headerRow;
    this.#text = isFound || !this.#ended ? text.slice(end) : '';
    return isFound;
  }

  #readRows(): void {
    const text = this.#text;
    this.#dialect ??= this.#readDialect(text);
    const { delimiter, newline } = this.#dialect;
    const segment = TextSegment.ofRows(this.#name, text);
    let quote = nextQuote(text, this.#rowStart);
    while (this.#rowStart < text.length) {
      const lineBreak = text.indexOf(newline, this.#rowStart);
      const end = lineBreak === -1 ? text.length : lineBreak;
      if (quote < end) {
        if (!this.#readQuotedRow(segment)) return;
        quote = nextQuote(text, this.#rowStart);
        continue;
      }
      if (lineBreak === -1 && !this.#ended) return;
      const row = withoutReturn(text.slice(this.#rowStart, end));
      // Assigning a new object to a property of an old one is slow, so equal values are not assigned.
      if (this.segment !== segment) this.segment = segment;
      if (!isBlank(row)) this.#onRow(row.split(delimiter), row, this.#line);
      this.#line += 1;
      this.#rowStart = end + 1;
    }
  }

  #readDialect(text: string): CsvDialect {
    const [preface, delimiter] = SEPARATOR_LINE.exec(text) ?? [];
    if (preface === undefined || delimiter === undefined)
      return detectDialect(text, this.#request, splitSample);
    this.separatorLine = preface;
    this.#rowStart = preface.length;
    this.#line += 1;
    const { separator = delimiter } = this.#request;
    return { delimiter: separator, newline: preface.endsWith('\r') ? '\r' : '\n' };
  }

  /**
   * Parses a row with a quote before its first line break. Returns false if more text is needed.
   */
  #readQuotedRow(segment: TextSegment): boolean {
    const text = this.#text;
    const cells: string[] = [];
    let cell: CsvCell | undefined;
    do {
      cell = this.#readCell(cell ? cell.end + 1 : this.#rowStart);
      if (!cell) return false;
      cells.push(cell.value);
    } while (!cell.last);
    const row = withoutReturn(text.slice(this.#rowStart, cell.end));
    const lineBreaks = countLineBreaks(row);
    this.segment = lineBreaks === 0 ? segment : undefined;
    this.#onRow(cells, row, this.#line);
    this.#line += 1 + lineBreaks;
    this.#rowStart = cell.end + 1;
    return true;
  }

  #readCell(at: number): CsvCell | undefined {
    const text = this.#text;
    const { delimiter, newline } = this.#dialect ?? detectDialect(text, this.#request, splitSample);
    if (text[at] === '"') return this.#readQuotedCell(at, delimiter, newline);
    const comma = text.indexOf(delimiter, at);
    const lineBreak = text.indexOf(newline, at);
    if (comma !== -1 && (lineBreak === -1 || comma < lineBreak))
      return { value: text.slice(at, comma), end: comma, last: false };
    if (lineBreak === -1 && !this.#ended) return undefined;
    const end = lineBreak === -1 ? text.length : lineBreak;
    return { value: withoutReturn(text.slice(at, end)), end, last: true };
  }

  #readQuotedCell(at: number, delimiter: string, newline: string): CsvCell | undefined {
    const text = this.#text;
    const close = closingQuote(text, at + 1);
    let end = close + 1;
    while (text[end] === ' ') end += 1;
    // A delimiter, a line break, or the end must follow the closing quote.
    if (!this.#ended && (close === -1 || end + 1 >= text.length)) return undefined;
    if (close === -1) throw this.#error(at, 'the quote is not closed');
    while (newline === '\n' && text[end] === '\r') end += 1;
    const last = end >= text.length || text[end] === newline;
    if (!last && text[end] !== delimiter) throw this.#error(at, 'text after a closing quote');
    return { value: unquote(text.slice(at + 1, close)), end, last };
  }

  #error(at: number, problem: string): InputError {
    const position = positionWithin(this.#text.slice(this.#rowStart), at - this.#rowStart, {
      line: this.#line,
      column: 1,
    });
    const isJson = this.#line === 1 && /^\s*[[{]/.test(this.#text);
    const hint = isJson ? JSON_HINT : 'write a quote inside a quoted cell as ""';
    return new InputError(this.#name, position, problem, hint);
  }
}

export const JSON_HINT = 'for JSON, add --input-format json';

/** Length of the rows at which the separator is detected, even if they are few. */
const MAX_UNDETECTED = 64 * 1024;

/** Matches a first line such as `sep=;`, which sets the separator in Excel. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i;

/** Splits the rows at the start of a text, up to the first one that cannot be split. */
function splitSample(text: string, dialect: CsvDialect): readonly (readonly string[])[] {
  const rows: (readonly string[])[] = [];
  const parser = new CsvRowParser('', (cells) => rows.push(cells), dialect);
  try {
    parser.push(text.slice(0, MAX_UNDETECTED));
    if (text.length <= MAX_UNDETECTED) parser.end();
  } catch (error) {
    // With a wrong separator, a quote may be in the middle of a cell.
    if (!(error instanceof InputError)) throw error;
  }
  return rows;
}

export function formatRow(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => formatCell(cell, delimiter)).join(delimiter);
}

function formatCell(cell: string, delimiter: string): string {
  const plain = !cell.includes(delimiter) && !/["\r\n]|^ | $/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.replace(/\r+$/, '') : text;
}

function isBlank(row: string): boolean {
  return row.charCodeAt(0) > 0x20 ? false : row.trim() === '';
}

function nextQuote(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote === -1 ? text.length : quote;
}

/**
 * Finds the offset of the quote that closes the cell starting at `from`, after skipping doubled
 * quotes; -1 if not found.
 */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

const LONG_CELL = 1024 * 1024;

/** Replaces doubled quotes with single ones. In a long cell, `replaceAll` would take 100 bytes per quote. */
function unquote(text: string): string {
  return text.length < LONG_CELL ? text.replaceAll('""', '"') : text.split('""').join('"');
}

/** Returns the text of a cell. Spreadsheets also protect text from conversion as `="00123"`. */
export function readCell(cell: string): string {
  if (!cell.startsWith('="')) return restoreFormula(cell);
  const [, text] = TEXT_FORMULA.exec(cell) ?? [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;
