import { InputError, MOST_RECORD_CHARACTERS, placeWithin } from './record.ts';

/** Takes a row of a CSV text: its cells, the text itself without the line break, and the line it begins on. */
type TakeRow = (cells: readonly string[], text: string, line: number) => void;

/** How a CSV text separates cells and rows. A carriage return before a line feed belongs to the line break. */
interface Dialect {
  readonly delimiter: string;
  readonly newline: '\n' | '\r';
}

/** A cell and where it ends: at a delimiter, or the last one at a line break or the end of the text. */
interface Cell {
  readonly value: string;
  readonly end: number;
  readonly last: boolean;
}

/** Cuts a CSV text that comes in chunks into rows, as RFC 4180 says. Blank lines are passed over. */
export class CsvRowParser {
  readonly #name: string;
  readonly #take: TakeRow;
  #dialect: Dialect | undefined;
  /** What has come and is not yet a whole row. */
  #text = '';
  /** Where the next row begins: in `#text`, and as a line of the input. */
  #from = 0;
  #line = 1;
  /** A row that is not whole is looked at again when twice as much of it has come, so that long ones cost no more than short ones. */
  #enough = 0;
  #ended = false;
  /** The line that says how the others are separated, with its line break; empty where there is none. */
  #preface = '';

  constructor(name: string, take: TakeRow) {
    this.#name = name;
    this.#take = take;
  }

  /** The line before the header that names the separator, as Excel writes it: `sep=;` and its line break. */
  get preface(): string {
    return this.#preface;
  }

  /** What separates cells; known once a row was taken. */
  get delimiter(): string {
    return this.#dialect?.delimiter ?? ',';
  }

  /** Takes the rows that the next chunk completes. @throws SvcError `bad_data` for what comes after them */
  push(chunk: string): void {
    this.#text += chunk;
    if (this.#text.length < this.#enough) return;
    // A carriage return at the very end may be the first half of a CRLF.
    const firstLineIsWhole = /[\r\n]./s.test(this.#text);
    if (firstLineIsWhole) this.#rows();
    this.#text = this.#text.slice(this.#from);
    this.#from = 0;
    this.#enough = this.#text.length > chunk.length ? 2 * this.#text.length : 0;
    if (this.#text.length <= MOST_RECORD_CHARACTERS) return;
    throw new InputError(this.#name, { line: this.#line }, 'a row of more than 16 MB', 'is a quote left open?');
  }

  /** Takes the rows that are left, the last one with or without a line break. */
  end(): void {
    this.#ended = true;
    this.#rows();
  }

  #rows(): void {
    const text = this.#text;
    this.#dialect ??= this.#begin(text);
    const { delimiter, newline } = this.#dialect;
    let quote = nextQuote(text, this.#from);
    while (this.#from < text.length) {
      const found = text.indexOf(newline, this.#from);
      const end = found === -1 ? text.length : found;
      if (quote < end) {
        if (!this.#quotedRow()) return;
        quote = nextQuote(text, this.#from);
        continue;
      }
      if (found === -1 && !this.#ended) return;
      const row = withoutReturn(text.slice(this.#from, end));
      if (!isBlank(row)) this.#take(row.split(delimiter), row, this.#line);
      this.#line += 1;
      this.#from = end + 1;
    }
  }

  /** Passes over a first line that names the separator. */
  #begin(text: string): Dialect {
    const [preface, delimiter] = PREFACE.exec(text) ?? [];
    if (preface === undefined || delimiter === undefined) return dialect(text);
    this.#preface = preface;
    this.#from = preface.length;
    this.#line += 1;
    return { delimiter, newline: preface.endsWith('\r') ? '\r' : '\n' };
  }

  /** Takes a row that has a quote before its first line break; false when more has to come first. */
  #quotedRow(): boolean {
    const text = this.#text;
    const cells: string[] = [];
    let cell: Cell | undefined;
    do {
      cell = this.#cell(cell ? cell.end + 1 : this.#from);
      if (!cell) return false;
      cells.push(cell.value);
    } while (!cell.last);
    const row = withoutReturn(text.slice(this.#from, cell.end));
    this.#take(cells, row, this.#line);
    this.#line += 1 + (row.match(/\r\n|\n|\r/g)?.length ?? 0);
    this.#from = cell.end + 1;
    return true;
  }

  /** The cell at an offset; `undefined` when more has to come first. */
  #cell(at: number): Cell | undefined {
    const text = this.#text;
    const { delimiter, newline } = this.#dialect ?? dialect(text);
    if (text[at] === '"') return this.#quotedCell(at, delimiter, newline);
    const comma = text.indexOf(delimiter, at);
    const found = text.indexOf(newline, at);
    if (comma !== -1 && (found === -1 || comma < found)) {
      return { value: text.slice(at, comma), end: comma, last: false };
    }
    if (found === -1 && !this.#ended) return undefined;
    const end = found === -1 ? text.length : found;
    return { value: withoutReturn(text.slice(at, end)), end, last: true };
  }

  #quotedCell(at: number, delimiter: string, newline: string): Cell | undefined {
    const text = this.#text;
    const close = closingQuote(text, at + 1);
    let end = close + 1;
    while (text[end] === ' ') end += 1;
    // What follows the quote is a delimiter, a line break of at most two characters, or the end.
    if (!this.#ended && (close === -1 || end + 1 >= text.length)) return undefined;
    if (close === -1) throw this.#error(at, 'a quote is opened and never closed');
    if (newline === '\n' && text[end] === '\r') end += 1;
    const last = end >= text.length || text[end] === newline;
    if (!last && text[end] !== delimiter) throw this.#error(at, 'text after a closing quote');
    return { value: text.slice(at + 1, close).replaceAll('""', '"'), end, last };
  }

  #error(at: number, problem: string): InputError {
    const place = placeWithin(this.#text.slice(this.#from), at - this.#from, { line: this.#line, column: 1 });
    return new InputError(this.#name, place, problem, 'a quote inside a quoted cell is written twice: ""');
  }
}

/** `sep=;` alone in the first line, which Excel takes for the separator instead of for a row. */
const PREFACE = /^"?sep=([^"\r\n])"?(?:\r\n|\n|\r|$)/i;

/** How a file separates: read from its first line, so that a `;` or a tab works where there is no comma. */
function dialect(text: string): Dialect {
  const [, header = '', lineEnd] = /^([^\r\n]*)(\r\n|\n|\r)?/.exec(text.replace(/"[^"]*"/g, '')) ?? [];
  const delimiter = [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ',';
  return { delimiter, newline: lineEnd === '\r' ? '\r' : '\n' };
}

/** A row with these cells, without a line break. */
export function rowText(cells: readonly string[], delimiter: string): string {
  return cells.map((cell) => cellText(cell, delimiter)).join(delimiter);
}

function cellText(cell: string, delimiter: string): string {
  const plain = !cell.includes(delimiter) && !/["\r\n]|^ | $/.test(cell);
  return plain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

function isBlank(row: string): boolean {
  return row.charCodeAt(0) > 0x20 ? false : row.trim() === '';
}

function nextQuote(text: string, from: number): number {
  const quote = text.indexOf('"', from);
  return quote === -1 ? text.length : quote;
}

/** The quote that ends a cell whose content begins at `from`, past those that are written twice; -1 when there is none. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
