import { SvcError } from '../../kernel/errors.ts';
import { restoreFormula } from '../../kernel/formula-text.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { formatMapFlags, guessFields, listColumns } from './column-guesses.ts';
import { MAX_TITLE_ROWS } from './csv-dialect.ts';
import { isEnvelopeHeader, readEnvelopeRows } from './csv-envelope.ts';
import { CsvRowParser, formatRow } from './csv-rows.ts';
import type { FieldNames } from './field-map.ts';
import type { SourceRequest } from './record-layout.ts';
import { findRenamedField } from './renamed-field.ts';
import {
  createUnreadableRecord,
  type ErrorPosition,
  InputError,
  type OtherRow,
  OtherRowError,
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
  /** The fields without dropped columns. */
  readonly fieldNames: readonly string[];
  /** Index of the ID column, or -1. */
  readonly idColumn: number;
  /** Indexes of columns without a name, which must be empty. */
  readonly nameless: readonly number[];
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
  /** The error for a row that should be the header, and the number of rows read since. */
  #missingId:
    | { readonly error: InputError; readonly rows: number; readonly first: OtherRow['first'] }
    | undefined;
  #paddedLines = 0;
  /** Whether the file is the result of a list command with `--envelope`. */
  #isEnvelope = false;

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
    return this.#header?.fieldNames ?? [];
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
    const { separator, headerRow = 0 } = this.#request;
    const onRow = (cells: readonly string[], text: string, line: number) => {
      if (line < headerRow) return;
      if (cells[0] === '' && cells.every((cell) => cell === '')) this.emptyLines.push(line);
      else if (this.#header) records.push(this.#record(this.#header, cells, text, line));
      else if (this.#isEnvelope) records.push(...this.#readEnvelope(cells, line));
      else if (isEnvelopeHeader(cells)) this.#isEnvelope = true;
      else this.#readHeader(cells, parser.separatorLine + text, parser.delimiter, line);
    };
    const rateId = (column: string) => this.#rateId(column);
    const parser = new CsvRowParser(this.#request.name, onRow, { separator, headerRow, rateId });
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

  /** Reads the records of a list command's result, and the header from their fields. */
  #readEnvelope(cells: readonly string[], line: number): readonly SourceRecord[] {
    const { name, id, listed } = this.#request;
    const [columns, ...rows] = readEnvelopeRows(cells, listed?.id ?? id) ?? [];
    if (!columns)
      throw new InputError(name, this.#locate(line, 2), 'expected a list of records as JSON');
    this.#readHeader(columns, formatRow(columns, ','), ',', line);
    const header = this.#header;
    return header
      ? rows.map((row) => this.#recordOfRow(header, { line, cells: row, errors: [] }))
      : [];
  }

  /** Reads rows that are already split into cells. Their texts are CSV. */
  async *readRows(chunks: AsyncIterable<readonly TableRow[]>): AsyncGenerator<RecordChunk> {
    for await (const rows of chunks) {
      const records: SourceRecord[] = [];
      for (const { line, cells, errors } of rows) {
        if (line < (this.#request.headerRow ?? 0)) continue;
        if (errors.length === 0 && cells.every((cell) => cell === '')) this.emptyLines.push(line);
        else if (this.#header)
          records.push(this.#recordOfRow(this.#header, { line, cells, errors }));
        else {
          // A title above the header may have fewer cells.
          const first = errors.find(({ concernsOnlyIds }) => !concernsOnlyIds);
          if (first && !this.#missingId) throw first.error;
          this.#readHeader(cells, formatRow(cells, ','), ',', line);
        }
      }
      if (records.length > 0) yield records;
    }
    this.#requireHeader();
  }

  #recordOfRow({ fields, nameless }: Header, { line, cells, errors }: TableRow): SourceRecord {
    this.#requireNoValues(nameless, cells, line);
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

  /** @throws SvcError `invalid_input` if a column without a name has a value */
  #requireNoValues(nameless: readonly number[], cells: readonly string[], line: number): void {
    for (const at of nameless) {
      if ((cells[at] ?? '') === '') continue;
      const problem = `column ${at + 1} has no name, but a value`;
      const hint = `name it in the header, or drop it: add ${formatMapFlags([[String(at + 1), '']])}`;
      throw new InputError(this.#request.name, this.#locate(line, at), problem, hint);
    }
  }

  /** Warnings about columns. Call after the rows were read. */
  warnings(): readonly { readonly line: number; readonly message: string }[] {
    const { nameless = [] } = this.#header ?? {};
    const [first] = nameless;
    const numbers = nameless.map((at) => at + 1).join(', ');
    const columns = nameless.length === 1 ? 'column' : 'columns';
    return [
      ...(first === undefined
        ? []
        : [{ line: 1, message: `ignored the empty ${columns} ${numbers}` }]),
      ...(this.#paddedLines === 0
        ? []
        : [{ line: 1, message: 'ignored separators at the end of rows' }]),
    ];
  }

  #requireHeader(): void {
    if (this.#header) return;
    if (this.#missingId) throw this.#missingId.error;
    const { name } = this.#request;
    throw new InputError(name, {}, 'the header is missing', 'the first row must name the fields');
  }

  /**
   * Reads the header. If it lacks the ID, searches the next rows for the header, so that the error
   * can name it.
   */
  #readHeader(cells: readonly string[], text: string, delimiter: string, line: number): void {
    const columns = cells.map((cell) => readCell(cell.trim()));
    const { id, listed, generatesIds } = this.#request;
    if (this.#missingId) {
      const { error, rows, first } = this.#missingId;
      if (columns.some((column) => this.#rateId(column) > 0))
        throw new OtherRowError(this.#request.name, error, {
          first,
          later: { row: line, columns },
        });
      if (rows === MAX_TITLE_ROWS) throw error;
      this.#missingId = { ...this.#missingId, rows: rows + 1 };
      return;
    }
    const keys = createColumnKeys(columns);
    const { mapped, nameless } = this.#mapColumns(columns, keys, line);
    const idColumn = mapped.indexOf(mapped.includes(id) ? id : (listed?.id ?? id));
    if (!generatesIds && idColumn === -1)
      this.#missingId = {
        error: this.#missingIdError(mapped, line),
        rows: 1,
        first: { row: line, columns },
      };
    else {
      this.#markMapped(keys);
      const fieldNames = mapped.filter((field) => field !== undefined);
      this.#header = { text, delimiter, columns, fields: mapped, fieldNames, idColumn, nameless };
    }
  }

  /** Marks the mapped columns as found: all of them, unless other files may have some. */
  #markMapped(keys: readonly string[]): void {
    const { map } = this.#request;
    if (map?.isShared) for (const key of keys) map.fieldOf(key);
    else map?.markAllFound();
  }

  /** Returns the field of each column, and the columns without a name or field. */
  #mapColumns(columns: readonly string[], keys: readonly string[], line: number) {
    const { name } = this.#request;
    const map: FieldNames = this.#request.map?.names ?? new Map();
    const fail = (at: number, problem: string, hint?: string): never => {
      throw new InputError(name, this.#locate(line, at), problem, hint);
    };
    const nameless: number[] = [];
    for (const [at, column] of columns.entries()) {
      if (map.has(keys[at] ?? '')) continue;
      if (column === '') nameless.push(at);
      else if (columns.indexOf(column) !== at) {
        const drop = formatMapFlags([[keys[at] ?? '', '']]);
        fail(at, `two columns are named '${column}'`, `to drop this one, add ${drop}`);
      }
    }
    if (this.#request.map?.isShared !== true) requireMappedColumns(map, keys, name);
    const mapped = keys.map((key, at) =>
      nameless.includes(at) ? undefined : map.has(key) ? map.get(key) || undefined : key,
    );
    for (const [at, field] of mapped.entries()) {
      const before = mapped.indexOf(field);
      if (field === undefined || before === at) continue;
      fail(at, `the columns '${keys[before]}' and '${keys[at]}' both map to '${field}'`);
    }
    return { mapped, nameless };
  }

  /** Returns 2 if a name in a header is that of the ID, and 1 if it probably means it. */
  #rateId(column: string): number {
    const { id, listed, map, knownFields } = this.#request;
    const field = map?.names.get(column) ?? column;
    if (field === id || field === listed?.id) return 2;
    const isName = /^[\p{L}\p{N} _.-]+$/u.test(column);
    return isName && findRenamedField(id, [column], knownFields) !== undefined ? 1 : 0;
  }

  #missingIdError(columns: readonly (string | undefined)[], line: number): InputError {
    const { name, id } = this.#request;
    const found = columns.filter((column) => column !== undefined);
    const problem = `the column '${id}' is missing; the columns are: ${listColumns(found)}`;
    if (/^[[{]/.test(found[0] ?? ''))
      return new InputError(name, this.#locate(line), problem, 'for JSON, add --input-format json');
    const separator = found.flatMap((column) => findSeparator(column, id))[0];
    if (separator !== undefined) {
      const hint = `the columns seem to be separated by '${separator}': add --separator ${quoteForShell(separator)}`;
      return new InputError(name, this.#locate(line), problem, hint);
    }
    const { given = [] } = this.#request;
    const guesses = [...guessFields(found, this.#request)].map(
      ([column, field]) => [column, given.includes(field) ? '' : field] as const,
    );
    const hint = guesses.some(([, field]) => field === id)
      ? `add ${formatMapFlags(guesses)}`
      : `name the column of the ID: --map '<column>=${id}'`;
    return new InputError(name, this.#locate(line), problem, hint);
  }

  #record(
    { fields, nameless }: Header,
    cells: readonly string[],
    text: string,
    line: number,
  ): SourceRecord {
    if (cells.length === fields.length) {
      this.#requireNoValues(nameless, cells, line);
      return new CsvRecord(fields, cells, text, line);
    }
    const hasExtraCells = cells.length > fields.length;
    // Separators at the end of a row, which the header does not have, or only the header.
    const isPadded = hasExtraCells
      ? cells.slice(fields.length).every((cell) => cell === '')
      : fields.every((_, at) => at < cells.length || nameless.includes(at));
    if (isPadded) {
      this.#requireNoValues(nameless, cells, line);
      this.#paddedLines += 1;
      return new CsvRecord(fields, cells.slice(0, fields.length), text, line);
    }
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

/** Finds the character that separates the ID from other names in a column that was not split. */
function findSeparator(column: string, id: string): readonly string[] {
  return [...column].filter(
    (character) =>
      /[^\p{L}\p{N}\s"'_-]/u.test(character) &&
      column.split(character).some((part) => part.trim() === id),
  );
}

/**
 * Returns the names by which `--map` knows columns: `3` for one without a name, `name#2` for a
 * second one.
 */
function createColumnKeys(columns: readonly string[]): readonly string[] {
  return columns.map((column, at) => {
    if (column === '') return columns.includes(String(at + 1)) ? '' : String(at + 1);
    const before = columns.slice(0, at).filter((other) => other === column).length;
    const key = `${column}#${before + 1}`;
    return before === 0 || columns.includes(key) ? column : key;
  });
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
