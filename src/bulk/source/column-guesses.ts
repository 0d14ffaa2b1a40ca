import type { BulkFields } from '../../catalog/bulk-fields.ts';
import {
  findIntendedField,
  findSelectingField,
  isSameName,
  normalizeName,
} from '../../catalog/intended-field.ts';
import { joinAndCount } from '../../kernel/plural.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { SEPARATORS } from './csv-dialect.ts';
import { findRenamedField } from './renamed-field.ts';

type KnownFields = Pick<BulkFields, 'id' | 'knownFields' | 'targetFields' | 'listed'>;

/** Shortest field name that a column is searched for. */
const MIN_SEARCHED_LENGTH = 4;

/** Matches names of e-mail addresses that do not contain `email`. */
const TRANSLATED_EMAIL = /mailadresse|courriel|correo|メール|邮箱|邮件/;

/** Returns the columns that are neither known fields nor those of listed records. */
export function findUnknownColumns(
  columns: readonly string[],
  { id, knownFields, targetFields, listed }: KnownFields,
): readonly string[] {
  const known = new Set([
    id,
    ...knownFields,
    ...targetFields.map(({ name }) => name),
    // Only a record with its own ID can have those of the service.
    ...(columns.includes(id) || listed?.id !== undefined ? (listed?.readOnly ?? []) : []),
    listed?.id,
    listed?.nested,
  ]);
  return columns.filter((column) => !known.has(column));
}

/**
 * Returns the known field names if no other column than the ID is known. Each row is then probably a
 * field, and such a name in the ID column is not an ID.
 */
export function namesInRows(columns: readonly string[], fields: KnownFields): readonly string[] {
  const unknown = findUnknownColumns(columns, fields);
  const isTransposed = unknown.length > 0 && unknown.length === columns.length - 1;
  return isTransposed ? fields.knownFields : [];
}

/**
 * Guesses the fields that unknown columns stand for: `E-Mail Address` is `email`. A field that the
 * file has, or that several columns could stand for, is not guessed.
 */
export function guessFields(
  columns: readonly string[],
  fields: KnownFields,
): ReadonlyMap<string, string> {
  const { id, knownFields, targetFields } = fields;
  const names = [...new Set([id, ...knownFields, ...targetFields.map(({ name }) => name)])];
  let open = findUnknownColumns(columns, fields).filter((column) => !containsFields(column, names));
  let free = names.filter((name) => !columns.includes(name));
  const guesses = new Map<string, string>();
  const apply = (guess: (column: string) => string | undefined) => {
    const found = Map.groupBy(open, guess);
    for (const [field, [column, ...others]] of found)
      if (field !== undefined && column !== undefined && others.length === 0)
        guesses.set(column, field);
    open = open.filter((column) => !guesses.has(column));
    free = free.filter((name) => ![...guesses.values()].includes(name));
  };
  apply((column) => {
    const selecting = findSelectingField(column);
    return selecting !== undefined && free.includes(selecting) ? selecting : undefined;
  });
  apply((column) => findIntendedField(column, free));
  apply((column) =>
    isSameName(column, 'company') && free.includes('organizationId') ? 'organizationId' : undefined,
  );
  const renamed = free.includes(id) ? findRenamedField(id, open, knownFields) : undefined;
  apply((column) => (column === renamed ? id : undefined));
  apply((column) => {
    const name = normalizeName(column);
    if (free.includes('email') && TRANSLATED_EMAIL.test(name)) return 'email';
    return free.find(
      (field) => field.length >= MIN_SEARCHED_LENGTH && name.includes(normalizeName(field)),
    );
  });
  return guesses;
}

/** Whether a column was not split: it contains several fields with a different separator. */
function containsFields(column: string, names: readonly string[]): boolean {
  const isSplit = SEPARATORS.some((separator) => {
    const parts = column.split(separator).map((part) => part.trim());
    return parts.filter((part) => findIntendedField(part, names) !== undefined).length > 1;
  });
  return isSplit || column.split(/\s+/).filter((part) => names.includes(part)).length > 1;
}

/** Formats the flags that rename columns as one line to paste. */
export function formatMapFlags(map: Iterable<readonly [column: string, field: string]>): string {
  return Array.from(map, ([column, field]) => `--map ${quoteForShell(`${column}=${field}`)}`).join(
    ' ',
  );
}

const MAX_LISTED_COLUMNS = 20;

/**
 * Formats the hint to drop columns, with an example instead of the flags if they are many.
 * @param keys names by which `--map` knows the columns
 */
export function formatDropHint(purpose: string, keys: readonly string[]): string {
  const isShort = keys.length <= MAX_LISTED_COLUMNS;
  const flags = formatMapFlags(keys.slice(0, isShort ? keys.length : 1).map((key) => [key, '']));
  return isShort
    ? `${purpose}, add ${flags}`
    : `${purpose}, add a flag such as ${flags} for each of the ${keys.length} columns`;
}

export function listColumns(columns: readonly string[]): string {
  return joinAndCount(columns, MAX_LISTED_COLUMNS);
}
