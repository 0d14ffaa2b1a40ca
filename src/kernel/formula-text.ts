/**
 * Matches the start of a cell that a spreadsheet treats as a formula, after any protective
 * apostrophes.
 */
const FORMULA_START = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * Adds an apostrophe before formulas, and before text that already looks neutralized, so that
 * `restoreFormula` is exact.
 */
export function neutralizeFormula(text: string): string {
  return FORMULA_START.test(text) ? `'${text}` : text;
}

/** Reverses `neutralizeFormula`; returns any other cell unchanged. */
export function restoreFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA_START.test(cell) ? cell.slice(1) : cell;
}
