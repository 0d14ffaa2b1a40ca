import stringWidth from 'string-width';

interface Cursor {
  readonly lines: string[][];
  row: number;
  column: number;
}

const PARTS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is read
  /\u001b\[(\?)?([0-9;]*)([A-Za-z])|\u001b\][^\u0007]*\u0007|[\r\n\u0008]|[^\u001b\r\n\u0008]/gu;

/**
 * Renders the final content of a terminal with the given width, line by line, including text that
 * scrolled away. Supports the few control sequences that prompts use. The right half of a wide
 * character is an empty cell.
 */
export function renderScreen(written: string, columns: number): readonly string[] {
  const cursor: Cursor = { lines: [[]], row: 0, column: 0 };
  for (const [part, isPrivate, parameters = '', command] of written.matchAll(PARTS)) {
    if (command !== undefined) {
      if (!isPrivate)
        applyControl(cursor, command, Number(parameters.split(';')[0] || '1'), parameters);
    } else if (part === '\r') cursor.column = 0;
    else if (part === '\n') moveDown(cursor, 1);
    else if (part === '\u0008') cursor.column = Math.max(0, cursor.column - 1);
    else if (!part.startsWith('\u001b')) putCharacter(cursor, part, columns);
  }
  return cursor.lines.map((line) =>
    Array.from(line, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
}

function applyControl(cursor: Cursor, command: string, count: number, parameters: string): void {
  const line = cursor.lines[cursor.row] ?? [];
  switch (command) {
    case 'A':
      cursor.row = Math.max(0, cursor.row - count);
      return;
    case 'B':
      moveDown(cursor, count);
      return;
    case 'C':
      cursor.column += count;
      return;
    case 'D':
      cursor.column = Math.max(0, cursor.column - count);
      return;
    case 'G':
      cursor.column = count - 1;
      return;
    case 'K':
      cursor.lines[cursor.row] = parameters === '2' ? [] : line.slice(0, cursor.column);
      return;
    case 'J':
      cursor.lines[cursor.row] = line.slice(0, cursor.column);
      cursor.lines.length = cursor.row + 1;
      return;
    case 'm':
      return;
    default:
      throw new Error(`a control sequence that is not known here: ${parameters}${command}`);
  }
}

function moveDown(cursor: Cursor, count: number): void {
  cursor.row += count;
  while (cursor.lines.length <= cursor.row) cursor.lines.push([]);
}

function putCharacter(cursor: Cursor, character: string, columns: number): void {
  const width = stringWidth(character);
  if (cursor.column + width > columns) {
    cursor.column = 0;
    moveDown(cursor, 1);
  }
  const line = cursor.lines[cursor.row] ?? [];
  line[cursor.column] = character;
  if (width === 2) line[cursor.column + 1] = '';
  cursor.column += width;
}
