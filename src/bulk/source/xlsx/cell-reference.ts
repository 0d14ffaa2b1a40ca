const [LETTERS, FIRST_LETTER] = [26, 0x41];

/** Returns the number of a column from 0: 27 for `AB7`, and -1 for text without letters. */
export function columnNumber(reference: string): number {
  let number = 0;
  for (let at = 0; at < reference.length; at += 1) {
    const letter = reference.charCodeAt(at) - FIRST_LETTER;
    if (letter < 0 || letter >= LETTERS) break;
    number = number * LETTERS + letter + 1;
  }
  return number - 1;
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
