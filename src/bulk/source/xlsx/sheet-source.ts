import { neutralizeFormula } from '../../../kernel/formula-text.ts';
import { formatNounCount } from '../../../kernel/plural.ts';
import { listColumns } from '../column-guesses.ts';
import { CsvReader, type TableRow } from '../csv.ts';
import type { SourceRequest } from '../record-layout.ts';
import { InputError, OtherRowError, type RecordChunk, type Source } from '../source.ts';
import { OtherSheetError } from '../spreadsheet.ts';
import { columnLetters, formatCell } from './cell-reference.ts';
import { readXml } from './read-xml.ts';
import { MergedCells, SheetFindings, type SheetRow, SheetRows } from './sheet-rows.ts';
import { type Sheet, type SheetData, toInputError, Workbook } from './workbook.ts';

/** Data that all readings of a file share: the texts of a large workbook take much time and memory. */
export interface SheetCache {
  data?: SheetData;
  /** Paths of sheets that were read to their end, in which merged cells hide no values. */
  checkedSheets?: Set<string>;
}

export interface SheetRequest extends SourceRequest {
  /** Called with the fraction of the sheet that was read, from 0 to 1. */
  readonly onRead?: (part: number) => void;
}

/**
 * Reads a sheet of an .xlsx file like a CSV file with a header. The rows are read from the file as
 * they are needed; the texts that cells share are kept in memory.
 * @param cache filled by the first reading of the file
 * @throws SvcError `usage` if there is no sheet of the given name, `invalid_input` for another file
 */
export async function openSheet(
  path: string,
  request: SheetRequest,
  cache: SheetCache = {},
): Promise<Source> {
  const { name } = request;
  const workbook = await Workbook.open(path, name, request.signal);
  try {
    const sheet = workbook.chooseSheet(request.sheet);
    const locate = (line: number, column = 0) => ({ line, cell: table.formatCell(line, column) });
    const reader = new CsvReader(request, locate);
    const table = new SheetTable(workbook, sheet, request, cache, () => reader.columns.length > 0);
    return {
      name,
      format: 'xlsx',
      isVerbatim: false,
      beside: [],
      recordChunks:
        request.sheet === undefined
          ? suggestOtherSheet(reader, table, path, request, cache, [
              workbook.visibleSheetsBut(sheet),
              workbook.hiddenSheetsBut(sheet),
            ])
          : reader.readRows(table.read()),
      preamble: () => reader.header,
      columns: () => reader.columns,
      heading: (field) => reader.headingOf(field),
      emptyRows: () => reader.emptyRows,
      cellOf: (line, field) => table.formatCell(line, reader.columnOf(field)),
      warnings: () => [
        ...table.warnings(reader.columns.map((field) => reader.columnOf(field) ?? 0)),
        ...reader.warnings(),
      ],
      withField: (record, _, id) => reader.withId(record, id),
    };
  } catch (error) {
    workbook.close();
    throw error;
  }
}

const MAX_LISTED_SHEETS = 20;
/**
 * Limits on empty cells, which svc adds to rows that are shorter than the header: the number that is always
 * allowed, and the number per cell with a value.
 */
const [MIN_EMPTY_CELLS, MAX_EMPTY_PER_VALUE] = [8_000_000, 1000];

/**
 * Reads a sheet. If its header is not that of the records, the error names the sheets that have it.
 * @param others visible sheets, and hidden ones, which are named only if no visible one has it
 */
async function* suggestOtherSheet(
  reader: CsvReader,
  table: SheetTable,
  path: string,
  request: SheetRequest,
  cache: SheetCache,
  others: readonly (readonly Sheet[])[],
): AsyncGenerator<RecordChunk> {
  try {
    yield* reader.readRows(table.read());
  } catch (error) {
    if (!(error instanceof InputError) || reader.columns.length > 0) throw error;
    if (error instanceof OtherRowError) throw error;
    const headers = new Map<string, number | 'first'>();
    for (const sheets of others)
      for (const { name } of headers.size === 0 ? sheets.slice(0, MAX_LISTED_SHEETS) : []) {
        const row = await findHeader(path, { ...request, sheet: name }, cache);
        if (row !== undefined) headers.set(name, row);
      }
    const names = [...headers.keys()];
    const [first, ...more] = [
      ...names.filter((name) => headers.get(name) === 'first'),
      ...names.filter((name) => headers.get(name) !== 'first'),
    ];
    if (first === undefined) throw error;
    const rowIn = (sheet: string) => {
      const row = headers.get(sheet);
      return typeof row === 'number' ? row : undefined;
    };
    throw new OtherSheetError(request.name, error, [first, ...more], rowIn(first), (sheet) =>
      countRecords(
        path,
        { ...request, sheet, headerRow: rowIn(sheet) ?? request.headerRow },
        cache,
      ),
    );
  }
}

async function countRecords(
  path: string,
  request: SheetRequest,
  cache: SheetCache,
): Promise<number> {
  // The column of the ID may have another name.
  const { recordChunks } = await openSheet(path, { ...request, generatesIds: true }, cache);
  let count = 0;
  for await (const chunk of recordChunks) count += chunk.length;
  return count;
}

/** Finds the header of the records in a sheet: in the first row with values, or in a later one. */
async function findHeader(
  path: string,
  request: SheetRequest,
  cache: SheetCache,
): Promise<number | 'first' | undefined> {
  try {
    const { recordChunks } = await openSheet(path, request, cache);
    for await (const _ of recordChunks) break;
    return 'first';
  } catch (error) {
    if (error instanceof OtherRowError) return error.row.later.row;
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

/** The columns of a sheet from the first to the last one with a name. */
class SheetTable {
  readonly #workbook: Workbook;
  readonly #sheet: Sheet;
  readonly #request: SheetRequest;
  readonly #cache: SheetCache;
  /** Whether the reader has accepted a row as the header. */
  readonly #hasHeader: () => boolean;
  #firstColumn = 0;
  #width: number | undefined;
  #headerLine = 0;
  /** Number of cells in the rows that were read, and of those with a value. */
  #cellCount = 0;
  #valueCount = 0;
  #findings = new SheetFindings();

  constructor(
    workbook: Workbook,
    sheet: Sheet,
    request: SheetRequest,
    cache: SheetCache,
    hasHeader: () => boolean,
  ) {
    this.#cache = cache;
    this.#workbook = workbook;
    this.#sheet = sheet;
    this.#request = request;
    this.#hasHeader = hasHeader;
  }

  formatCell(line: number, column = 0): string {
    return formatCell(this.#sheet.name, this.#firstColumn + column, line);
  }

  /** @param columns the columns that are read, from 0 */
  warnings(
    columns: readonly number[],
  ): readonly { readonly line: number; readonly message: string }[] {
    const others = this.#workbook.visibleSheetsBut(this.#sheet);
    const isChosen = this.#request.sheet !== undefined || others.length === 0;
    const names = others.slice(0, MAX_LISTED_SHEETS).map(({ name }) => `'${name}'`);
    if (others.length > names.length) names.push(`${others.length - names.length} others`);
    const { mergedRanges } = this.#findings;
    const [range] = mergedRanges;
    const { firstHiddenLine: hiddenLine, hiddenRowCount, hiddenColumns } = this.#findings;
    const hidden = columns
      .map((column) => this.#firstColumn + column)
      .filter((column) => hiddenColumns.some(([min, max]) => column >= min && column <= max));
    const letters = listColumns(hidden.map(columnLetters));
    return [
      ...(hidden.length === 0
        ? []
        : [
            {
              line: this.#headerLine,
              message: `${formatNounCount(hidden.length, 'hidden column')} (${letters}) ${hidden.length === 1 ? 'is' : 'are'} read like the others`,
            },
          ]),
      ...(isChosen
        ? []
        : [
            {
              line: this.#headerLine,
              message: `only the sheet '${this.#sheet.name}' is read; to read ${names.join(', ')}, add --sheet`,
            },
          ]),
      ...(hiddenLine === undefined
        ? []
        : [
            {
              line: hiddenLine,
              message: `${formatNounCount(hiddenRowCount, 'hidden row')} ${hiddenRowCount === 1 ? 'is' : 'are'} read like the others`,
            },
          ]),
      ...(range === undefined
        ? []
        : [
            {
              line: this.#headerLine,
              message: `only the first cell of a merged range has a value: ${range}${mergedRanges.length > 1 ? ` and ${mergedRanges.length - 1} more` : ''}`,
            },
          ]),
    ];
  }

  async *read(): AsyncGenerator<readonly TableRow[]> {
    const { name, signal, headerRow = 0 } = this.#request;
    const { checkedSheets = new Set() } = this.#cache;
    const isChecked = checkedSheets.has(this.#sheet.path);
    try {
      this.#cache.data ??= await this.#workbook.readSheetData();
      const rows = new SheetRows(this.#cache.data);
      this.#findings = rows.findings;
      const stream = await this.#workbook.openSheet(this.#sheet, this.#request.onRead);
      for await (const _ of readXml(stream, rows)) {
        signal?.throwIfAborted();
        const taken = rows.take().filter(({ line }) => line >= headerRow);
        // A title may have other columns than the header below it.
        while (taken.length > 0 && !this.#hasHeader()) {
          this.#width = undefined;
          yield taken.splice(0, 1).map((row) => this.#toTableRow(row));
        }
        if (taken.length > 0) yield taken.map((row) => this.#toTableRow(row));
        if (rows.isComplete && isChecked) break;
      }
      if (!isChecked) await this.#rejectHiddenValues(this.#cache.data);
      this.#cache.checkedSheets = checkedSheets.add(this.#sheet.path);
    } catch (error) {
      signal?.throwIfAborted();
      throw toInputError(name, error);
    } finally {
      this.#workbook.close();
    }
  }

  /** Reads the sheet again if it has merged cells, because they come after the rows. */
  async #rejectHiddenValues(data: SheetData): Promise<void> {
    const { mergedRanges } = this.#findings;
    if (mergedRanges.length === 0) return;
    const [rows, merged] = [new SheetRows(data), new MergedCells(mergedRanges)];
    const stream = await this.#workbook.openSheet(this.#sheet);
    for await (const _ of readXml(stream, rows)) {
      this.#request.signal?.throwIfAborted();
      for (const row of rows.take()) {
        const column = merged.findHiddenColumn(row);
        if (column === undefined || row.line <= this.#headerLine) continue;
        const hint = 'unmerge the cells, or clear this one';
        throw this.#error(row.line, column, 'a merged cell hides the value', hint);
      }
    }
  }

  #toTableRow({ line, cells, problems }: SheetRow): TableRow {
    this.#width ??= this.#startTable(line, cells);
    const first = this.#firstColumn;
    const isEmpty = cells.length === 0 && problems.length === 0;
    const width = isEmpty ? 1 : (this.#width ?? 1);
    this.#cellCount += width;
    if (this.#cellCount > Math.max(MIN_EMPTY_CELLS, MAX_EMPTY_PER_VALUE * this.#valueCount))
      throw new Error(`the rows before row ${line} have too many empty cells`);
    const texts = Array.from({ length: width }, (_, at) => {
      const cell = cells[first + at];
      if (cell === undefined) return '';
      this.#valueCount += 1;
      return neutralizeFormula(cell);
    });
    const inTable = this.#hasHeader()
      ? problems.filter(({ column }) => column >= first && column < first + width)
      : problems;
    const errors = inTable.map(({ column, problem, hint, concernsOnlyIds = false }) => ({
      column: column - first,
      error: this.#error(line, column, problem, hint),
      concernsOnlyIds,
    }));
    const outside = cells.findIndex(
      (cell, at) => cell !== undefined && (at < first || at >= first + texts.length),
    );
    if (outside === -1) return { line, cells: texts, errors };
    const error = this.#error(
      line,
      outside,
      'the cell is outside the columns of the header',
      'name its column in the header, or delete the cell',
    );
    return {
      line,
      cells: texts,
      errors: [...errors, { column: 0, error, concernsOnlyIds: false }],
    };
  }

  /** Finds the columns of the first row with values. Undefined for a row without values. */
  #startTable(line: number, cells: readonly (string | undefined)[]): number | undefined {
    const first = cells.findIndex((cell) => cell !== undefined);
    if (first === -1) return undefined;
    this.#firstColumn = first;
    this.#headerLine = line;
    return cells.length - first;
  }

  #error(line: number, column: number, problem: string, hint: string): InputError {
    const cell = formatCell(this.#sheet.name, column, line);
    return new InputError(this.#request.name, { line, cell }, problem, hint);
  }
}
