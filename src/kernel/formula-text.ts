/**
 * Matches the places where a spreadsheet could see the start of a formula, with the apostrophes
 * before it: at the start of a cell, also after spaces, and after a separator of another dialect or a line break, at
 * which a spreadsheet with other settings splits the cell. A cell with a comma is in quotes.
 */
const FORMULA_STARTS =
  /^'*(?=[\t\r]|[^\S\t\r\n]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])|(?<=[;\t\r\n])'*(?=[^\S\t\r\n]*[=+\-@|%\uff1d\uff0b\uff0d\uff20])/g;

/**
 * Adds an apostrophe before formulas, and before text that already looks neutralized, so that
 * `restoreFormula` is exact.
 */
export function neutralizeFormula(text: string): string {
  return MAY_START_FORMULA.test(text) ? text.replace(FORMULA_STARTS, "'$&") : text;
}

/** Reverses `neutralizeFormula`; returns any other cell unchanged. */
export function restoreFormula(cell: string): string {
  if (!cell.includes("'")) return cell;
  return cell.replace(FORMULA_STARTS, (apostrophes) => apostrophes.slice(1));
}

/** A fast test, because few texts contain any of these characters at such a place. */
const MAY_START_FORMULA = /^['\s=+\-@|%\uff1d\uff0b\uff0d\uff20]|[;\t\r\n]/;
