import { SvcError } from '../../kernel/errors.ts';
import { restoreFormula } from '../../kernel/formula-text.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMapFlags, guessFields, listColumns } from './column-guesses.ts';
import { CsvRowParser, formatRow } from './csv-rows.ts';
import type { FieldNames } from './field-map.ts';
import type { SourceRequest } from './record-layout.ts';
import {
  createUnreadableRecord,
  type ErrorPosition,
  InputError,
  type RecordChunk,
  type SourceRecord,
} from './source.ts';

interface Header {
  /** Text in the file, including a preceding line that names the separator. */
  readonly text: string;
  readonly delimiter: string;
  /** The names of the columns in the file. */
  readonly columns: readonly string[];
  /** The field of each column; undefined for a dropped column. */
  readonly fields: readonly (string | undefined)[];
  /** Index of the ID column, or -1. */
  readonly idColumn: number;
}

/** A row of a table, and the errors of its cells. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly errors: readonly CellError[];
}

/** The error of a cell of a table. */
export interface CellError {
  readonly column: number;
  readonly error: InputError;
  /** Whether the text of the cell is correct for fields other than IDs. */
  readonly concernsOnlyIds: boolean;
}

type Locate = (line: number, column?: number) => ErrorPosition;

/**
 * Reads CSV, or the rows of another table, with a header row. An empty cell is an absent field. Skips rows without
 * values, which spreadsheets often add at the end. Removes apostrophes that
 * neutralize formulas.
 */
export class CsvReader {
  readonly #request: SourceRequest;
  readonly #locate: Locate;
  #header: Header | undefined;
  /** Lines of the rows without values, which are skipped. */
  readonly emptyLines: number[] = [];

  /** @param locate returns the position of a column, from 0, in errors */
  constructor(request: SourceRequest, locate: Locate = (line) => ({ line })) {
    this.#request = request;
    this.#locate = locate;
  }

  get header(): string {
    if (!this.#header) return '';
    const { text, delimiter, idColumn } = this.#header;
    return idColumn === -1 ? text + delimiter + this.#request.id : text;
  }

  get columns(): readonly string[] {
    return this.#header?.fields.filter((field) => field !== undefined) ?? [];
  }

  /** Returns the name of a field's column in the header. */
  headingOf(field: string): string | undefined {
    const column = this.columnOf(field);
    return column === undefined ? undefined : this.#header?.columns[column];
  }

  /** Returns the number of a field's column, from 0. */
  columnOf(field: string | undefined): number | undefined {
    const name = field?.split('.', 1)[0];
    const column = name === undefined ? -1 : (this.#header?.fields.indexOf(name) ?? -1);
    return column === -1 ? undefined : column;
  }

  /** Returns a record's row with its ID, in an added column if the file has no ID column. */
  withId(record: SourceRecord, id: string): string {
    if (!this.#header || !(record instanceof CsvRecord))
      throw new TypeError('the record is from a different source');
    const { delimiter, idColumn } = this.#header;
    if (idColumn === -1) return record.text + delimiter + formatRow([id], delimiter);
    return formatRow(record.cells.with(idColumn, id), delimiter);
  }

  async *read(chunks: AsyncIterable<string>): AsyncGenerator<RecordChunk> {
    let records: SourceRecord[] = [];
    const parser = new CsvRowParser(this.#request.name, (cells, text, line) => {
      if (cells[0] === '' && cells.every((cell) => cell === '')) this.emptyLines.push(line);
      else if (this.#header) records.push(this.#record(this.#header, cells, text, line));
      else
        this.#header = this.#readHeader(cells, parser.separatorLine + text, parser.delimiter, line);
    });
    try {
      for await (const chunk of chunks) {
        parser.push(chunk);
        if (records.length > 0) yield records;
        records = [];
      }
      parser.end();
    } catch (error) {
      // Yields the records that precede the error.
      if (records.length > 0) yield records;
      throw error;
    }
    if (records.length > 0) yield records;
    this.#requireHeader();
  }

  /** Reads rows that are already split into cells. Their texts are CSV. */
  async *readRows(chunks: AsyncIterable<readonly TableRow[]>): AsyncGenerator<RecordChunk> {
    for await (const rows of chunks) {
      const records: SourceRecord[] = [];
      for (const { line, cells, errors } of rows) {
        if (errors.length === 0 && cells.every((cell) => cell === '')) this.emptyLines.push(line);
        else if (this.#header)
          records.push(this.#recordOfRow(this.#header, { line, cells, errors }));
        else {
          for (const { error, concernsOnlyIds } of errors) if (!concernsOnlyIds) throw error;
          this.#header = this.#readHeader(cells, formatRow(cells, ','), ',', line);
        }
      }
      if (records.length > 0) yield records;
    }
    this.#requireHeader();
  }

  #recordOfRow({ fields }: Header, { line, cells, errors }: TableRow): SourceRecord {
    const first = errors.find(({ column, concernsOnlyIds }) => {
      const field = fields[column];
      return field !== undefined && (!concernsOnlyIds || this.#isIdField(field));
    });
    if (!first) return new CsvRecord(fields, cells, undefined, line);
    return createUnreadableRecord(formatRow(cells, ','), { line, column: 1 }, first.error);
  }

  #isIdField(field: string): boolean {
    const { id, listed } = this.#request;
    return field === id || field === listed?.id || /(?:^|\.)id$|Id$/.test(field);
  }

  #requireHeader(): void {
    if (this.#header) return;
    const { name } = this.#request;
    throw new InputError(name, {}, 'the header is missing', 'the first row must name the fields');
  }

  #readHeader(cells: readonly string[], text: string, delimiter: string, line: number): Header {
    const { name, id: idField, listed, generatesIds } = this.#request;
    const map: FieldNames = this.#request.map?.names ?? new Map();
    const columns = cells.map((cell) => readCell(cell.trim()));
    for (const [at, column] of columns.entries()) {
      if (column === '')
        throw new InputError(name, this.#locate(line, at), `column ${at + 1} has no name`);
      if (columns.indexOf(column) !== at)
        throw new InputError(name, this.#locate(line, at), `two columns are named '${column}'`);
    }
    requireMappedColumns(map, columns, name);
    this.#request.map?.markAllFound();
    const mapped = columns.map((column) =>
      map.has(column) ? map.get(column) || undefined : column,
    );
    for (const [at, field] of mapped.entries()) {
      const before = mapped.indexOf(field);
      if (field === undefined || before === at) continue;
      const problem = `the columns '${columns[before]}' and '${columns[at]}' both map to '${field}'`;
      throw new InputError(name, this.#locate(line, at), problem);
    }
    const idColumn = mapped.indexOf(mapped.includes(idField) ? idField : (listed?.id ?? idField));
    if (!generatesIds && idColumn === -1) throw this.#missingIdError(mapped, line);
    return { text, delimiter, columns, fields: mapped, idColumn };
  }

  #missingIdError(columns: readonly (string | undefined)[], line: number): InputError {
    const { name, id, knownFields } = this.#request;
    const found = columns.filter((column) => column !== undefined);
    const problem = `the column '${id}' is missing; the columns are: ${listColumns(found)}`;
    if (/^[[{]/.test(found[0] ?? ''))
      return new InputError(name, this.#locate(line), problem, 'for JSON, add --input-format json');
    const guesses = guessFields(found, this.#request);
    const hint = [...guesses.values()].includes(id)
      ? `add ${formatMapFlags(guesses)}`
      : `the first row must name the fields: ${knownFields.join(',')}`;
    return new InputError(name, this.#locate(line), problem, hint);
  }

  #record({ fields }: Header, cells: readonly string[], text: string, line: number): SourceRecord {
    if (cells.length === fields.length) return new CsvRecord(fields, cells, text, line);
    const hasExtraCells = cells.length > fields.length;
    const hint = hasExtraCells
      ? 'put double quotes around any cell that contains the separator'
      : 'check that the file is complete';
    const problem = `the row has ${formatNounCount(cells.length, 'cell')}, but the header has ${fields.length}`;
    return createUnreadableRecord(
      text,
      { line, column: 1 },
      new InputError(this.#request.name, { line }, problem, hint),
    );
  }
}

class CsvRecord implements SourceRecord {
  readonly #fields: Header['fields'];
  readonly cells: readonly string[];
  readonly #text: string | undefined;
  readonly line: number;
  readonly column = 1;

  /** @param text the row in the file (default: the cells, separated by commas) */
  constructor(
    fields: Header['fields'],
    cells: readonly string[],
    text: string | undefined,
    line: number,
  ) {
    this.#fields = fields;
    this.cells = cells;
    this.#text = text;
    this.line = line;
  }

  get text(): string {
    return this.#text ?? formatRow(this.cells, ',');
  }

  get value(): unknown {
    const value: Record<string, string> = {};
    const { cells } = this;
    for (let at = 0; at < cells.length; at += 1) {
      const [field, cell] = [this.#fields[at], readCell(cells[at] ?? '')];
      if (cell === '' || field === undefined) continue;
      if (field === '__proto__')
        Object.defineProperty(value, field, { value: cell, enumerable: true });
      else value[field] = cell;
    }
    return value;
  }
}

/** Returns the text of a cell. Spreadsheets also protect text from conversion as `="00123"`. */
function readCell(cell: string): string {
  if (!cell.startsWith('="')) return restoreFormula(cell);
  const [, text] = TEXT_FORMULA.exec(cell) ?? [];
  return text === undefined ? cell : text.replaceAll('""', '"');
}

const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** @throws SvcError `usage` if the file does not have a mapped column */
function requireMappedColumns(map: FieldNames, columns: readonly string[], name: string): void {
  for (const column of map.keys()) {
    if (columns.includes(column)) continue;
    const nearest = findNearest(column, columns);
    throw new SvcError('usage', `--map: ${name} has no column '${column}'`, {
      hint: nearest ? `did you mean '${nearest}'?` : `the columns are: ${columns.join(', ')}`,
    });
  }
}
