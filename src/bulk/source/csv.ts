import { SvcError } from '../../kernel/errors.ts';
import { restoreFormula } from '../../kernel/formula-text.ts';
import { nearest } from '../../kernel/nearest.ts';
import { CsvRowParser, rowText } from './csv-rows.ts';
import type { FieldMap, FieldNames } from './field-map.ts';
import { type Block, InputError, type SourceRecord } from './record.ts';

/** What a CSV file's columns are held against. */
export interface CsvOptions {
  readonly name: string;
  /** The fields that the service knows of a record, which the header should name. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** Records may come without their id, and the file without its column. */
  readonly mints: boolean;
  /** The fields of columns that are named otherwise; a column of no field is left out. */
  readonly map?: FieldMap;
}

interface Header {
  /** As it stands in the file, with the line before it that names the separator. */
  readonly text: string;
  readonly delimiter: string;
  /** The field of each column; undefined for one that is left out. */
  readonly fields: readonly (string | undefined)[];
  /** The column that holds ids, or -1. */
  readonly ids: number;
}

/**
 * Reads CSV whose first row names the fields. An empty cell is an absent field, and the apostrophe that svc puts before
 * what a spreadsheet would take for a formula is no part of a cell.
 */
export class CsvReader {
  readonly #options: CsvOptions;
  #header: Header | undefined;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  /** The first row as it stands in the file, with a column for ids where it lacks one. */
  get header(): string {
    if (!this.#header) return '';
    const { text, delimiter, ids } = this.#header;
    return ids === -1 ? text + delimiter + this.#options.idField : text;
  }

  /** The row of a record with its id, which stands in a column of its own where the file has none for it. */
  withId(record: SourceRecord, id: string): string {
    if (!this.#header || !(record instanceof CsvRecord)) throw new TypeError('the record is of another source');
    const { delimiter, ids } = this.#header;
    if (ids === -1) return record.text + delimiter + rowText([id], delimiter);
    return rowText(record.cells.with(ids, id), delimiter);
  }

  async *read(chunks: AsyncIterable<string>): AsyncGenerator<Block> {
    let block: CsvRecord[] = [];
    const parser = new CsvRowParser(this.#options.name, (cells, text, line) => {
      if (this.#header) block.push(this.#record(this.#header, cells, text, line));
      else this.#header = this.#readHeader(cells, parser.preface + text, parser.delimiter, line);
    });
    try {
      for await (const chunk of chunks) {
        parser.push(chunk);
        if (block.length > 0) yield block;
        block = [];
      }
      parser.end();
    } catch (error) {
      // What is wrong comes after the records before it.
      if (block.length > 0) yield block;
      throw error;
    }
    if (block.length > 0) yield block;
    if (!this.#header)
      throw new InputError(this.#options.name, {}, 'there is no header', 'the first row names the fields');
  }

  #readHeader(cells: readonly string[], text: string, delimiter: string, line: number): Header {
    const { name, fields, idField, mints } = this.#options;
    const map: FieldNames = this.#options.map?.names ?? new Map();
    const columns = cells.map((cell) => restoreFormula(cell.trim()));
    for (const [at, column] of columns.entries()) {
      if (column === '') throw new InputError(name, { line }, `column ${at + 1} has no name`);
      if (columns.indexOf(column) !== at) throw new InputError(name, { line }, `two columns are named '${column}'`);
    }
    checkMap(map, columns, name);
    this.#options.map?.meetAll();
    const mapped = columns.map((column) => (map.has(column) ? map.get(column) || undefined : column));
    for (const [at, field] of mapped.entries()) {
      const before = mapped.indexOf(field);
      if (field === undefined || before === at) continue;
      throw new InputError(name, { line }, `the columns '${columns[before]}' and '${columns[at]}' are both '${field}'`);
    }
    const ids = mapped.indexOf(idField);
    if (!mints && ids === -1) {
      const near = nearest(idField, columns);
      const hint = near
        ? `is it '${near}'? add --map '${near}=${idField}'`
        : `the first row names the fields: ${fields.join(',')}`;
      throw new InputError(name, { line }, `there is no column '${idField}'`, hint);
    }
    return { text, delimiter, fields: mapped, ids };
  }

  #record({ fields }: Header, cells: readonly string[], text: string, line: number): CsvRecord {
    if (cells.length === fields.length) return new CsvRecord(fields, cells, text, line);
    const many = cells.length > fields.length;
    const hint = many ? 'put a cell that holds the separator into double quotes' : 'is the file complete?';
    const problem = `the row has ${cells.length} cells and the header ${fields.length}`;
    throw new InputError(this.#options.name, { line }, problem, hint);
  }
}

class CsvRecord implements SourceRecord {
  readonly #fields: Header['fields'];
  readonly cells: readonly string[];
  readonly text: string;
  readonly line: number;
  readonly column = 1;

  constructor(fields: Header['fields'], cells: readonly string[], text: string, line: number) {
    this.#fields = fields;
    this.cells = cells;
    this.text = text;
    this.line = line;
  }

  get value(): unknown {
    const value: Record<string, string> = {};
    const { cells } = this;
    for (let at = 0; at < cells.length; at += 1) {
      const [field, cell] = [this.#fields[at], restoreFormula(cells[at] ?? '')];
      if (cell === '' || field === undefined) continue;
      if (field === '__proto__') Object.defineProperty(value, field, { value: cell, enumerable: true });
      else value[field] = cell;
    }
    return value;
  }
}

/** @throws SvcError `usage` for a column that the file does not have */
function checkMap(map: FieldNames, columns: readonly string[], name: string): void {
  for (const column of map.keys()) {
    if (columns.includes(column)) continue;
    const near = nearest(column, columns);
    throw new SvcError('usage', `--map: ${name} has no column '${column}'`, {
      hint: near ? `did you mean '${near}'?` : `its columns: ${columns.join(', ')}`,
    });
  }
}
