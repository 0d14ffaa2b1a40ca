import { didYouMean, nearest } from '../../kernel/nearest.ts';
import { CsvRowParser, type Row } from './csv-rows.ts';
import { type Block, inputError, type SourceRecord } from './record.ts';

/** What a CSV file's columns are held against. */
export interface CsvOptions {
  readonly name: string;
  /** The fields that the service knows of a record, which the header should name. */
  readonly fields: readonly string[];
  /** The field that no record can do without. */
  readonly idField: string;
  readonly warn: (text: string) => void;
}

/** Reads CSV whose first row names the fields. An empty cell is an absent field. */
export class CsvReader {
  readonly #options: CsvOptions;
  #columns: readonly string[] | undefined;
  #header = '';

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** The first row as it stands in the file. */
  get header(): string {
    return this.#header;
  }

  async *read(chunks: AsyncIterable<string>): AsyncGenerator<Block> {
    const parser = new CsvRowParser(this.#options.name);
    for await (const chunk of chunks) {
      const block = this.#records(parser.push(chunk));
      if (block.length > 0) yield block;
    }
    const last = this.#records(parser.end());
    if (last.length > 0) yield last;
  }

  #records(rows: readonly Row[]): Block {
    if (this.#columns) return rows.map((row) => this.#record(row));
    const [header, ...others] = rows;
    if (!header) return [];
    this.#header = header.text;
    this.#columns = this.#checkHeader(header);
    return others.map((row) => this.#record(row));
  }

  #checkHeader({ cells, line }: Row): readonly string[] {
    const { name, fields, idField, warn } = this.#options;
    const columns = cells.map((cell) => cell.trim());
    for (const [at, column] of columns.entries()) {
      if (column === '') throw inputError(name, { line }, `column ${at + 1} has no name`);
      if (columns.indexOf(column) !== at) throw inputError(name, { line }, `two columns are named '${column}'`);
    }
    if (!columns.includes(idField)) {
      const near = nearest(idField, columns);
      const hint = near ? `is it '${near}'?` : `the first row names the fields: ${fields.join(',')}`;
      throw inputError(name, { line }, `there is no column '${idField}'`, hint);
    }
    for (const column of columns) {
      if (fields.includes(column)) continue;
      warn(`${name}:${line}: unknown column '${column}' is passed on as it is; ${didYouMean(column, fields)}`);
    }
    return columns;
  }

  #record({ cells, text, line }: Row): SourceRecord {
    const columns = this.#columns ?? [];
    if (cells.length !== columns.length) {
      const many = cells.length > columns.length;
      const hint = many ? 'put a cell that holds the separator into double quotes' : 'is the file complete?';
      const problem = `the row has ${cells.length} cells and the header ${columns.length}`;
      throw inputError(this.#options.name, { line }, problem, hint);
    }
    const filled = columns.map((column, at) => [column, cells[at]] as const).filter(([, cell]) => cell !== '');
    return { value: Object.fromEntries(filled), text, line, column: 1 };
  }
}
