import Papa from 'papaparse';
import { inputError, MOST_RECORD_CHARACTERS, type Place, placeWithin } from './record.ts';

/** A row of a CSV text: its cells, the text itself without the line break, and the line it begins on. */
export interface Row {
  readonly cells: readonly string[];
  readonly text: string;
  readonly line: number;
}

/** What papaparse's parser tells of a row; its own types leave it open. */
interface Parsed {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly code: string; readonly index: number }[];
  /** Where the row ends. */
  readonly meta: { readonly cursor: number };
}

/** Cuts a CSV text that comes in chunks into rows. Blank lines are passed over. */
export class CsvRowParser {
  readonly #name: string;
  #parser: Papa.Parser | undefined;
  /** What has come and is not yet a whole row. */
  #text = '';
  /** Where the next row begins: in `#text`, and as a line of the input. */
  #from = 0;
  #line = 1;
  #rows: Row[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  /** The rows that the next chunk completes. */
  push(chunk: string): readonly Row[] {
    this.#text += chunk;
    if (this.#text.length - chunk.length > MOST_RECORD_CHARACTERS) {
      throw inputError(this.#name, { line: this.#line }, 'a row of more than 16 MB', 'is a quote left open?');
    }
    const firstLineIsWhole = /[\r\n]./s.test(this.#text);
    if (firstLineIsWhole) this.#parse(true);
    return this.#take();
  }

  /** The last row, when the text does not end with a line break. */
  end(): readonly Row[] {
    this.#text = this.#text.replace(/\r$/, '');
    this.#refuse(this.#parse(false).errors);
    return this.#take();
  }

  #parse(moreToCome: boolean): Parsed {
    this.#parser ??= new Papa.Parser({
      ...dialect(this.#text),
      step: (parsed: unknown) => this.#row(parsed as Parsed),
    } as Papa.ParseConfig);
    const rest: Parsed = this.#parser.parse(this.#text, 0, moreToCome);
    this.#text = this.#text.slice(this.#from);
    this.#from = 0;
    return rest;
  }

  #row({ data, errors, meta }: Parsed): void {
    this.#refuse(errors);
    const whole = this.#text.slice(this.#from, meta.cursor);
    const text = whole.replace(/\r?\n$|\r$/, '');
    if (text.trim() !== '') {
      this.#rows.push({ cells: withoutReturn(data[0] ?? [], whole), text, line: this.#line });
    }
    this.#line += whole.includes('"') ? (whole.match(/\r\n|\n|\r/g)?.length ?? 0) : 1;
    this.#from = meta.cursor;
  }

  #refuse([error]: Parsed['errors']): void {
    if (!error) return;
    const start: Place = { line: this.#line, column: 1 };
    const place = placeWithin(this.#text.slice(this.#from), error.index - 1 - this.#from, start);
    const problem =
      error.code === 'MissingQuotes' ? 'a quote is opened and never closed' : 'text after a closing quote';
    throw inputError(this.#name, place, problem, 'a quote inside a quoted cell is written twice: ""');
  }

  #take(): readonly Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }
}

/** How a file separates: read from its first line, so that a `;` or a tab works where there is no comma. */
export function dialect(text: string): { readonly delimiter: string; readonly newline: '\n' | '\r' } {
  const [, header = '', lineEnd] = /^([^\r\n]*)(\r\n|\n|\r)?/.exec(text.replace(/"[^"]*"/g, '')) ?? [];
  const delimiter = [',', ';', '\t'].find((candidate) => header.includes(candidate)) ?? ',';
  return { delimiter, newline: lineEnd === '\r' ? '\r' : '\n' };
}

/** A row with these cells, without a line break. */
export function rowText(cells: readonly unknown[], delimiter: string): string {
  return Papa.unparse([cells], { delimiter });
}

/** Rows are cut at the line feed; the carriage return before it belongs to no cell, unless a quoted one ends with it. */
function withoutReturn(cells: readonly string[], whole: string): readonly string[] {
  const last = cells.at(-1) ?? '';
  const strayed = whole.endsWith('\r\n') && last.endsWith('\r') && whole.endsWith(`${last}\n`);
  return strayed ? cells.with(-1, last.slice(0, -1)) : cells;
}
