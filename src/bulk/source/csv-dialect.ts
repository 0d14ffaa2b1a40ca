/** The separators of a CSV text. Carriage returns before a line feed belong to the line break. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly newline: '\n' | '\r';
}

export interface DialectRequest {
  /** The separator (default: detected). */
  readonly separator?: string | undefined;
  /** Line of the header (default: the first one with text). */
  readonly headerRow?: number | undefined;
  /** Returns how probably a column in the header contains the ID, from 0 to 2. */
  readonly rateId?: (column: string) => number;
}

/** In order of precedence. */
export const SEPARATORS = [',', ';', '\t', '|', '^'];
/** Rows that decide about the separator, and that may contain the header. */
const MAX_ROWS = 20;
export const MAX_TITLE_ROWS = 10;
/** Matches the line above the header of a table in a terminal, such as `+----+` and `┌────┐`. */
export const TABLE_LINE = /^(?:\+[-=]+\+|[\u250c\u250f\u2554\u256d]\S{3})/;

/** Whether a text contains the rows that decide about the separator. */
export function hasSampleRows(text: string): boolean {
  let at = -1;
  for (let lines = 0; lines < MAX_ROWS; lines += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1) return false;
  }
  return true;
}

/**
 * Detects the separator by the one that splits the first rows into equally many cells, with an ID
 * column in the header.
 * @param splitRows splits the rows at the start of a text
 */
export function detectDialect(
  text: string,
  { separator, rateId = () => 0 }: DialectRequest,
  splitRows: (text: string, dialect: CsvDialect) => readonly (readonly string[])[],
): CsvDialect {
  const lineEnd = /\r*\n|\r/.exec(text)?.[0];
  const newline = lineEnd === '\r' ? '\r' : '\n';
  if (separator !== undefined) return { delimiter: separator, newline };
  const split = (delimiter: string) =>
    splitRows(text, { delimiter, newline })
      .slice(0, MAX_ROWS)
      .map((cells) => cells.map((cell) => cell.trim()));
  const scores = SEPARATORS.map((delimiter) => {
    const rows = split(delimiter);
    const [header = []] = rows;
    const titles = rows.slice(0, MAX_TITLE_ROWS + 1);
    const rate = (row: readonly string[]) => Math.max(0, ...row.map(rateId));
    // The only column of a file may contain any of them.
    const isHeader = (row: readonly string[]) =>
      row.length > 1 && (row === header || rate(row) > 0);
    if (!titles.some(isHeader)) return { delimiter, score: 0 };
    const hasId = rate(header) + Math.max(0, ...titles.map(rate));
    const equal = rows.filter((row) => row.length === header.length).length / rows.length;
    return { delimiter, score: 1 + 10 * hasId + (header.length > 1 ? equal : 0) };
  });
  const best = scores.reduce((first, next) => (next.score > first.score ? next : first));
  if (best.score > 0) return { delimiter: best.delimiter, newline };
  // A header may name only the ID although its rows have more columns.
  const unnamed = [';', '\t'].find((delimiter) => {
    const [header = [], first, ...others] = split(delimiter);
    const namesOnlyId = header.length === 1 && rateId(header[0] ?? '') > 0;
    const isSplit = namesOnlyId && first !== undefined && first.length > 1;
    return isSplit && others.every((row) => row.length === first.length);
  });
  return { delimiter: unnamed ?? best.delimiter, newline };
}
