import { neutralizeFormula } from '../../kernel/formula-text.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { ENVELOPE_FIELDS, ENVELOPE_LIST } from './json-layout.ts';

/** The first columns of the result of a list command with `--envelope`. */
const ENVELOPE_COLUMNS = [...ENVELOPE_FIELDS, ENVELOPE_LIST];

/** Whether a header is that of a result with `--envelope`, whose records are in one cell as JSON. */
export function isEnvelopeHeader(columns: readonly string[]): boolean {
  return ENVELOPE_COLUMNS.every((column, at) => columns[at] === column);
}

/**
 * Returns the rows of the records in the cell of an envelope, with a header. Fields that a record does
 * not have, and null, are empty cells. Returns `undefined` for another text.
 * @param id the column of an envelope without records
 */
export function readEnvelopeRows(
  cells: readonly string[],
  id: string,
): readonly (readonly string[])[] | undefined {
  const list = tryParseJson(cells[ENVELOPE_COLUMNS.length - 1] ?? '');
  if (!Array.isArray(list) || !list.every(isObject)) return undefined;
  const columns = [...new Set([id, ...list.flatMap(Object.keys)])];
  const header = list.some((record) => Object.hasOwn(record, id)) ? columns : columns.slice(1);
  const shown = list.length === 0 ? [id] : header;
  return [shown, ...list.map((record) => shown.map((column) => formatCell(record[column])))];
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return neutralizeFormula(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
