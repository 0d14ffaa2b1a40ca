/** What makes a spreadsheet take a cell for a formula, behind any apostrophes that keep it from doing so. */
const FORMULA = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/**
 * A text as a cell that no spreadsheet takes for a formula: with one more apostrophe in front where it could be one. A
 * text that looks like such a cell gets one too, so that `restoreFormula` gives every text back.
 */
export function neutralizeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** The text that `neutralizeFormula` made a cell of; any other cell as it is. */
export function restoreFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
