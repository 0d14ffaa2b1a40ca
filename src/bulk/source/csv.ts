import { formatNounCount } from '../../kernel/plural.ts';
import { formatDropHint, listColumns } from './column-guesses.ts';
import { isEnvelopeHeader, readEnvelopeRows } from './csv-envelope.ts';
import {
  createTextTableError,
  HeaderReader,
  type LocateColumn,
  type TableHeader,
  WHOLE_ROW_HINT,
} from './csv-header.ts';
import { CsvRowParser, formatRow, readCell } from './csv-rows.ts';
import type { SourceRequest } from './record-layout.ts';
import {
  createUnreadableRecord,
  InputError,
  type RecordChunk,
  type SourceRecord,
} from './source.ts';
import type { TextSegment } from './text-segment.ts';

/** A row of a table, and the errors of its cells. */
export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
  readonly errors: readonly CellError[];
}

/** Maximum characters of a row that an error shows. */
const MAX_SHOWN = 40;

/** Maximum rows for which there is the same warning. */
const MAX_LISTED_ROWS = 3;

/** The error of a cell of a table. */
export interface CellError {
  readonly column: number;
  readonly error: InputError;
  /** Whether the text of the cell is correct for fields other than IDs. */
  readonly concernsOnlyIds: boolean;
}

/**
 * Reads CSV, or the rows of another table, with a header row. An empty cell is an absent field.
 * Skips rows without values, which spreadsheets often add at the end. Removes apostrophes that
 * neutralize formulas.
 */
export class CsvReader {
  readonly #request: SourceRequest;
  readonly #locate: LocateColumn;
  readonly #headers: HeaderReader;
  #header: TableHeader | undefined;
  /** The rows without values, which are skipped. */
  readonly emptyRows = { firstLine: 0, count: 0 };
  #paddedLines = 0;
  /** Lines of the first rows in which a cell contains the text of other rows. */
  readonly #rowsInCells: number[] = [];
  /** Whether the file is the result of a list command with `--envelope`. */
  #isEnvelope = false;

  /** @param locate returns the position of a column, from 0, in errors */
  constructor(request: SourceRequest, locate: LocateColumn = (line) => ({ line })) {
    this.#request = request;
    this.#locate = locate;
    this.#headers = new HeaderReader(request, locate);
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
    let isFirst = true;
    const { separator, headerRow } = this.#request;
    const onRow = (cells: readonly string[], text: string, line: number) => {
      if (cells[0] === '' && cells.every((cell) => cell === '')) this.#countEmptyRow(line);
      else if (this.#header) {
        if (isFirst) this.#rejectTextTable(text, line);
        isFirst = false;
        records.push(this.#record(this.#header, cells, text, line, parser.segment));
      } else if (this.#isEnvelope)
        for (const record of this.#readEnvelope(cells, line)) records.push(record);
      else if (isEnvelopeHeader(cells)) this.#isEnvelope = true;
      else
        this.#header = this.#headers.read(
          cells,
          parser.separatorLine + text,
          parser.delimiter,
          line,
        );
    };
    const rateId = (column: string) => this.#headers.rateId(column);
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

  /** @throws SvcError `invalid_input` for a line below the header, as in a Markdown table */
  #rejectTextTable(text: string, line: number): void {
    if (/^[\s|:+-]*-{3}[\s|:+-]*$/.test(text) && /[|+]/.test(text))
      throw createTextTableError(this.#request.name, this.#locate(line));
  }

  /** Reads the records of a list command's result, and the header from their fields. */
  #readEnvelope(cells: readonly string[], line: number): readonly SourceRecord[] {
    const { name, id, listed } = this.#request;
    const [columns, ...rows] = readEnvelopeRows(cells, listed?.id ?? id) ?? [];
    if (!columns)
      throw new InputError(name, this.#locate(line, 2), 'expected a list of records as JSON');
    const header = this.#headers.read(columns, formatRow(columns, ','), ',', line);
    this.#header = header;
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
        if (errors.length === 0 && cells.every((cell) => cell === '')) this.#countEmptyRow(line);
        else if (this.#header)
          records.push(this.#recordOfRow(this.#header, { line, cells, errors }));
        else {
          // A title above the header may have fewer cells.
          const first = errors.find(({ concernsOnlyIds }) => !concernsOnlyIds);
          if (first && !this.#headers.hasTitle) throw first.error;
          this.#header = this.#headers.read(cells, formatRow(cells, ','), ',', line);
        }
      }
      if (records.length > 0) yield records;
    }
    this.#requireHeader();
  }

  #countEmptyRow(line: number): void {
    if (this.emptyRows.count === 0) this.emptyRows.firstLine = line;
    this.emptyRows.count += 1;
  }

  #recordOfRow({ fields, nameless }: TableHeader, { line, cells, errors }: TableRow): SourceRecord {
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
    const filled = nameless.filter((at) => (cells[at] ?? '') !== '');
    const [first] = filled;
    if (first === undefined) return;
    const problem = `column ${first + 1} has no name, but a value`;
    const [what, them] = filled.length === 1 ? ['it', 'it'] : ['the columns', 'them'];
    const hint = `name ${what} in the header; ${formatDropHint(
      `to drop ${them}`,
      filled.map((at) => String(at + 1)),
    )}`;
    throw new InputError(this.#request.name, this.#locate(line, first), problem, hint);
  }

  /** Warnings about columns. Call after the rows were read. */
  warnings(): readonly { readonly line: number; readonly message: string }[] {
    const { nameless = [] } = this.#header ?? {};
    const [first] = nameless;
    const numbers = listColumns(nameless.map((at) => String(at + 1)));
    const columns = nameless.length === 1 ? 'column' : 'columns';
    return [
      ...(first === undefined
        ? []
        : [{ line: 1, message: `ignored the empty ${columns} ${numbers}` }]),
      ...(this.#paddedLines === 0
        ? []
        : [{ line: 1, message: 'ignored separators at the end of rows' }]),
      ...this.#rowsInCells.map((line) => ({
        line,
        message: 'a cell contains lines that look like records; check the quotes around it',
      })),
    ];
  }

  #requireHeader(): void {
    if (!this.#header) this.#headers.failWithoutHeader();
  }

  #record(
    { fields, nameless, delimiter }: TableHeader,
    cells: readonly string[],
    text: string,
    line: number,
    segment: TextSegment | undefined,
  ): SourceRecord {
    if (cells.length === fields.length) {
      this.#requireNoValues(nameless, cells, line);
      const isListed = this.#rowsInCells.length < MAX_LISTED_ROWS;
      if (!segment && isListed && hasRowInCell(cells, delimiter)) this.#rowsInCells.push(line);
      return new CsvRecord(fields, cells, text, line, segment);
    }
    const hasExtraCells = cells.length > fields.length;
    // Separators at the end of a row, which the header does not have, or only the header.
    const isPadded = hasExtraCells
      ? cells.slice(fields.length).every((cell) => cell === '')
      : fields.every((_, at) => at < cells.length || nameless.includes(at));
    if (isPadded) {
      this.#requireNoValues(nameless, cells, line);
      this.#paddedLines += 1;
      return new CsvRecord(fields, cells.slice(0, fields.length), text, line, segment);
    }
    const [only = ''] = cells.length === 1 ? cells : [];
    const hint = hasExtraCells
      ? cells.some((cell) => /^\s+"/.test(cell))
        ? 'remove the spaces before the quotes'
        : `${fields.length === 1 ? 'name every column in the header, or ' : ''}put double quotes around any cell that contains the separator`
      : only.includes(delimiter)
        ? WHOLE_ROW_HINT
        : 'check that the file is complete, and remove lines that are not records';
    const count = formatNounCount(cells.length, 'cell');
    const shown = only ? `: '${only.slice(0, MAX_SHOWN)}'` : '';
    const problem = `the row has ${count}, but the header has ${fields.length}${shown}`;
    return createUnreadableRecord(
      text,
      { line, column: 1 },
      new InputError(this.#request.name, { line }, problem, hint),
    );
  }
}

/**
 * Whether a cell contains lines with as many cells as the row, because a quote is missing, or one is in the
 * wrong place. Texts have spaces after their commas.
 */
function hasRowInCell(cells: readonly string[], delimiter: string): boolean {
  return cells.some((cell, at) => {
    const lines = cell.split(/\r\n|\n|\r/).slice(1, at === cells.length - 1 ? undefined : -1);
    const isRow = (line: string) =>
      line.split(delimiter).length === cells.length && !line.includes(`${delimiter} `);
    return cells.length > 1 && lines.length > 0 && lines.every(isRow);
  });
}

class CsvRecord implements SourceRecord {
  readonly #fields: TableHeader['fields'];
  readonly cells: readonly string[];
  readonly #text: string | undefined;
  readonly line: number;
  readonly column = 1;
  readonly #segment: TextSegment | undefined;

  /** @param text the row in the file (default: the cells, separated by commas) */
  constructor(
    fields: TableHeader['fields'],
    cells: readonly string[],
    text: string | undefined,
    line: number,
    segment?: TextSegment,
  ) {
    this.#fields = fields;
    this.cells = cells;
    this.#text = text;
    this.line = line;
    this.#segment = segment;
  }

  get isPlain(): boolean {
    return this.#segment?.isPlain === true;
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
