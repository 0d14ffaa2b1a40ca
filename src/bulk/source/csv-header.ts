import { isAccessRole } from '../../catalog/selecting-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import { findNearest } from '../../kernel/nearest.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import {
  findUnknownColumns,
  formatDropHint,
  formatMapFlags,
  guessFields,
  listColumns,
} from './column-guesses.ts';
import { MAX_TITLE_ROWS, TABLE_LINE } from './csv-dialect.ts';
import { JSON_HINT, readCell } from './csv-rows.ts';
import type { FieldNames } from './field-map.ts';
import type { SourceRequest } from './record-layout.ts';
import { findRenamedField } from './renamed-field.ts';
import { type ErrorPosition, InputError, type OtherRow, OtherRowError } from './source.ts';
import { EXPORT_HINT } from './spreadsheet.ts';

/** The header of a CSV file or another table. */
export interface TableHeader {
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

/** Returns the position of a column, from 0, in errors. */
export type LocateColumn = (line: number, column?: number) => ErrorPosition;

/** Finds the header of a table, and the field of each of its columns. */
export class HeaderReader {
  readonly #request: SourceRequest;
  readonly #locate: LocateColumn;
  /** A row that should be the header, the rows read since, and the error for it. */
  #missingId:
    | {
        readonly first: OtherRow['first'];
        readonly rows: (readonly string[])[];
        readonly createError: (rows: readonly (readonly string[])[]) => InputError;
      }
    | undefined;

  constructor(request: SourceRequest, locate: LocateColumn) {
    this.#request = request;
    this.#locate = locate;
  }

  /** Whether a row was read that is not the header, such as a title. */
  get hasTitle(): boolean {
    return this.#missingId !== undefined;
  }

  /** @throws InputError because no row was the header */
  failWithoutHeader(): never {
    if (this.#missingId) throw this.#missingId.createError(this.#missingId.rows);
    const { name } = this.#request;
    throw new InputError(name, {}, 'the header is missing', 'the first row must name the fields');
  }

  /**
   * Reads a row as the header. If it lacks the ID, returns `undefined`, and searches the next rows for
   * the header, so that the error can name it.
   */
  read(
    cells: readonly string[],
    text: string,
    delimiter: string,
    line: number,
  ): TableHeader | undefined {
    if (cells.length > MAX_COLUMNS)
      throw new InputError(
        this.#request.name,
        this.#locate(line),
        `the header has more than ${MAX_COLUMNS.toLocaleString('en')} columns`,
        'check that it is the right file',
      );
    const columns = cells.map((cell) => readCell(cell.replace(AROUND_NAME, '')));
    const { id, listed, generatesIds } = this.#request;
    if (this.#missingId) {
      const { createError, rows, first } = this.#missingId;
      if (this.#isHeader(columns, first.columns))
        throw new OtherRowError(this.#request.name, createError(rows), {
          first,
          later: { row: line, columns },
        });
      rows.push(columns);
      if (rows.length === MAX_TITLE_ROWS) throw createError(rows);
      return undefined;
    }
    if (TABLE_LINE.test(columns[0] ?? ''))
      throw createTextTableError(this.#request.name, this.#locate(line));
    const keys = createColumnKeys(columns);
    const { mapped, nameless } = this.#mapColumns(columns, keys, line);
    const idColumn = mapped.indexOf(mapped.includes(id) ? id : (listed?.id ?? id));
    if (!generatesIds && idColumn === -1) {
      this.#missingId = {
        first: { row: line, columns },
        rows: [],
        createError: (rows) => this.#missingIdError(mapped, line, delimiter, rows),
      };
      return undefined;
    }
    this.#markMapped(keys);
    const fieldNames = mapped.filter((field) => field !== undefined);
    return { text, delimiter, columns, fields: mapped, fieldNames, idColumn, nameless };
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
    const firstOf = findFirstPositions(columns);
    for (const [at, column] of columns.entries()) {
      if (map.has(keys[at] ?? '')) continue;
      if (column === '') nameless.push(at);
      else if (firstOf.get(column) !== at) {
        const repeated = keys.filter(
          (key, other) => firstOf.get(columns[other]) !== other && !map.has(key),
        );
        const which = repeated.length === 1 ? 'this one' : 'the repeated ones';
        fail(at, `two columns are named '${column}'`, formatDropHint(`to drop ${which}`, repeated));
      }
    }
    if (this.#request.map?.isShared !== true) requireMappedColumns(map, keys, name);
    const mapped = keys.map((key, at) =>
      map.has(key) ? map.get(key) || undefined : columns[at] === '' ? undefined : key,
    );
    const firstWithField = findFirstPositions(mapped);
    for (const [at, field] of mapped.entries()) {
      const before = firstWithField.get(field);
      if (field === undefined || before === undefined || before === at) continue;
      fail(at, `the columns '${keys[before]}' and '${keys[at]}' both map to '${field}'`);
    }
    return { mapped, nameless };
  }

  /** Returns 2 if a name in a header is that of the ID, and 1 if it probably means it. */
  rateId(column: string): number {
    const { id, listed, map, knownFields } = this.#request;
    const field = map?.names.get(column) ?? column;
    if (field === id || field === listed?.id) return 2;
    const isName = /^[\p{L}\p{N} _.-]+$/u.test(column);
    return isName && findRenamedField(id, [column], knownFields) !== undefined ? 1 : 0;
  }

  /** Whether a row below a title is the header, and not a record with a value such as `User`. */
  #isHeader(columns: readonly string[], title: readonly string[]): boolean {
    const rate = Math.max(0, ...columns.map((column) => this.rateId(column)));
    const count = (names: readonly string[]) =>
      names.length -
      findUnknownColumns(names, this.#request).length +
      guessFields(names, this.#request).size;
    const hasValue = columns.some((column) => VALUE.test(column));
    return rate === 2 || (rate === 1 && !hasValue && count(columns) > count(title));
  }

  /** @param rows the rows below the header, as far as they were read */
  #missingIdError(
    columns: TableHeader['fields'],
    line: number,
    delimiter: string,
    rows: readonly (readonly string[])[],
  ): InputError {
    const { name, id } = this.#request;
    const found = columns.filter((column) => column !== undefined);
    const problem = `the column '${id}' is missing; the columns are: ${listColumns(found)}`;
    if (/^[[{]/.test(found[0] ?? ''))
      return new InputError(name, this.#locate(line), problem, JSON_HINT);
    const inQuotes = found.map((column) => /^'(.*)'$/s.exec(column)?.[1]);
    if (inQuotes.includes(id)) {
      const hint = 'replace the single quotes around the cells with double quotes, or remove them';
      return new InputError(name, this.#locate(line), problem, hint);
    }
    const [only = ''] = found.length === 1 ? found : [];
    const aligned = only.split(/ {2,}/);
    if (aligned.length > 1 && aligned.some((column) => this.rateId(column) > 0))
      return createTextTableError(name, this.#locate(line));
    const separator = isSplitBySpaces(only, this.#request)
      ? ' '
      : found
          .flatMap((column) => findSeparator(column, id))
          .find((each) => rows.every((cells) => cells.join(delimiter).includes(each)));
    const isField = ([name = '']: readonly string[]) =>
      this.#request.knownFields.includes(name.trim());
    if (separator && rows.some((cells) => isField(cells.join(delimiter).split(separator, 1))))
      return new InputError(name, this.#locate(line), problem, FIELD_IN_ROW_HINT);
    if (separator === delimiter)
      return new InputError(name, this.#locate(line), problem, WHOLE_ROW_HINT);
    if (separator !== undefined) {
      const hint = `the columns seem to be separated by '${separator}': add --separator ${quoteForShell(separator)}`;
      return new InputError(name, this.#locate(line), problem, hint);
    }
    const { given = [] } = this.#request;
    const isUsable = ([column, field]: readonly [string, string]) => {
      const at = columns.indexOf(column);
      // A column such as `Role` may hold job titles, so its values decide whether it is the access role.
      const isOther = rows.length > 0 && !rows.some((cells) => isAccessRole(cells[at]));
      return field !== 'accessRole' || !isOther;
    };
    const guesses = [...guessFields(found, this.#request)]
      .filter(isUsable)
      .map(([column, field]) => [column, given.includes(field) ? '' : field] as const);
    const hint = guesses.some(([, field]) => field === id)
      ? `add ${formatMapFlags(guesses)}`
      : `name the column of the ID: --map '<column>=${id}'`;
    return new InputError(name, this.#locate(line), problem, hint);
  }
}

const FIELD_IN_ROW_HINT =
  'each row seems to be a field: put the field names in the first row, and each record in one row';

export const WHOLE_ROW_HINT = 'remove the quotes around the rows: each is a single cell';

/** Spreadsheets have at most 16,384 columns. */
const MAX_COLUMNS = 100_000;

/** Matches numbers, dates, and email addresses, which are not names of columns. */
const VALUE = /^[\d.,:/ -]+$|@.*\./;

/** Whether a header consists of the names of fields with single spaces between them. */
function isSplitBySpaces(header: string, { id, knownFields }: SourceRequest): boolean {
  const names = header.split(' ');
  return (
    !names.includes('') &&
    names.includes(id) &&
    names.some((name) => name !== id && knownFields.includes(name))
  );
}

/** Creates the error for a table that is text for people, not CSV. */
export function createTextTableError(name: string, position: ErrorPosition): InputError {
  const problem = 'expected CSV, found a text table, such as Markdown';
  return new InputError(name, position, problem, EXPORT_HINT);
}

/** White space and characters that nobody sees, before and after a name. */
const AROUND_NAME = /^[\s\u200b-\u200f\u2060\ufeff]+|[\s\u200b-\u200f\u2060\ufeff]+$/g;

function findFirstPositions<Value>(
  values: readonly Value[],
): ReadonlyMap<Value | undefined, number> {
  const positions = new Map<Value | undefined, number>();
  for (const [at, value] of values.entries()) if (!positions.has(value)) positions.set(value, at);
  return positions;
}

/** Finds the character that separates the ID from other names in a column that was not split. */
function findSeparator(column: string, id: string): readonly string[] {
  return [...column].filter(
    (character) =>
      /[^\p{L}\p{N}\s"'()[\]{}<>_-]/u.test(character) &&
      column.split(character).some((part) => part.trim() === id),
  );
}

/**
 * Returns the names by which `--map` knows columns: `3` for one without a name, `name#2` for a
 * second one.
 */
function createColumnKeys(columns: readonly string[]): readonly string[] {
  const names = new Set(columns);
  const counts = new Map<string, number>();
  return columns.map((column, at) => {
    if (column === '') return names.has(String(at + 1)) ? '' : String(at + 1);
    const before = counts.get(column) ?? 0;
    counts.set(column, before + 1);
    const key = `${column}#${before + 1}`;
    return before === 0 || names.has(key) ? column : key;
  });
}

/** @throws SvcError `usage` if the file does not have a mapped column */
function requireMappedColumns(map: FieldNames, columns: readonly string[], name: string): void {
  for (const column of map.keys()) {
    if (columns.includes(column)) continue;
    const nearest = findNearest(column, columns);
    throw new SvcError('usage', `--map: ${name} has no column '${column}'`, {
      hint: nearest ? `did you mean '${nearest}'?` : `the columns are: ${listColumns(columns)}`,
    });
  }
}
