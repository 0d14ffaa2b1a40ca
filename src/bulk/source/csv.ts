import { nearest } from '../../kernel/nearest.ts';
import { CsvRowParser, dialect, type Row, rowText } from './csv-rows.ts';
import { type Block, inputError, type SourceRecord } from './record.ts';

/** What a CSV file's columns are held against. */
export interface CsvOptions {
  readonly name: string;
  /** The fields that the service knows of a record, which the header should name. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** Records may come without their id, and the file without its column. */
  readonly mints: boolean;
}

/** Reads CSV whose first row names the fields. An empty cell is an absent field. */
export class CsvReader {
  readonly #options: CsvOptions;
  #columns: readonly string[] | undefined;
  #header = '';

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** The first row as it stands in the file, with a column for ids where it lacks one. */
  get header(): string {
    return this.#hasIds ? this.#header : this.#header + this.#delimiter + this.#options.idField;
  }

  /** The row of a record with its id, which stands in a column of its own where the file has none for it. */
  withField({ value, text }: SourceRecord, field: string, cell: string): string {
    if (!this.#hasIds) return text + this.#delimiter + cell;
    const cells: Readonly<Record<string, unknown>> = { ...Object(value), [field]: cell };
    const columns = this.#columns ?? [];
    return rowText(
      columns.map((column) => (Object.hasOwn(cells, column) ? cells[column] : '')),
      this.#delimiter,
    );
  }

  get #hasIds(): boolean {
    return this.#columns?.includes(this.#options.idField) ?? true;
  }

  get #delimiter(): string {
    return dialect(this.#header).delimiter;
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
    const { name, fields, idField, mints } = this.#options;
    const columns = cells.map((cell) => cell.trim());
    for (const [at, column] of columns.entries()) {
      if (column === '') throw inputError(name, { line }, `column ${at + 1} has no name`);
      if (columns.indexOf(column) !== at) throw inputError(name, { line }, `two columns are named '${column}'`);
    }
    if (!mints && !columns.includes(idField)) {
      const near = nearest(idField, columns);
      const hint = near ? `is it '${near}'?` : `the first row names the fields: ${fields.join(',')}`;
      throw inputError(name, { line }, `there is no column '${idField}'`, hint);
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
