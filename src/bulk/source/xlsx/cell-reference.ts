const [LETTERS, FIRST_LETTER, FIRST_SMALL_LETTER] = [26, 0x41, 0x61];
const [ZERO, NINE] = [0x30, 0x39];

export interface CellReference {
  /** Column from 0. */
  readonly column: number;
  /** Line from 1. */
  readonly line: number;
}

/** Parses `AB7` or `ab7`: column 27, line 7. Undefined for another text. */
export function parseCellReference(text: string): CellReference | undefined {
  let [at, column, line] = [0, 0, 0];
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const letter = code - (code < FIRST_SMALL_LETTER ? FIRST_LETTER : FIRST_SMALL_LETTER);
    if (letter < 0 || letter >= LETTERS) break;
    column = column * LETTERS + letter + 1;
  }
  for (; at < text.length; at += 1) {
    const digit = text.charCodeAt(at);
    if (digit < ZERO || digit > NINE) return undefined;
    line = line * 10 + digit - ZERO;
  }
  return column === 0 ? undefined : { column: column - 1, line };
}

/** Returns the letters of a column, which counts from 0: `AB` for 27. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    letters = String.fromCharCode(FIRST_LETTER + ((rest - 1) % LETTERS)) + letters;
  return letters;
}

/** Formats a cell as spreadsheet programs do: `Sheet1!B7`, or `'My sheet'!B7`. */
export function formatCell(sheet: string, column: number, line: number): string {
  const quoted = /^[\p{L}_][\p{L}\d_.]*$/u.test(sheet) ? sheet : `'${sheet.replaceAll("'", "''")}'`;
  return `${quoted}!${columnLetters(column)}${line}`;
}
