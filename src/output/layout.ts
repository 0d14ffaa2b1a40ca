import CliTable from 'cli-table3';
import { cut, isAscii, type Measure } from './width.ts';

export type Row = readonly string[];
export type Paint = (text: string) => string;

/** Between two columns. There are no lines. */
export const GAP = '  ';

/** cli-table3 compares each cell with all cells before it, so a long table is laid out in parts. */
const ROWS_AT_ONCE = 100;

/** The width of the widest cell of each column. */
export function widthsOf(rows: readonly Row[], measure: Measure): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 1, measure(text));
  }
  return widths;
}

/** Lines of cells aligned in columns of the given widths, cut where they are wider; `paints` colours whole columns. */
export function* layOut(
  rows: readonly Row[],
  widths: readonly number[],
  measure: Measure,
  paints: readonly Paint[] = [],
): Generator<string> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const table = new CliTable({ chars: BORDERLESS, style: PLAIN, colWidths: [...widths] });
    const wide: string[] = [];
    for (const row of rows.slice(start, start + ROWS_AT_ONCE)) {
      const cells = row.map((text, column) => standIn(cut(text, widths[column] ?? 0, measure), measure, wide));
      table.push(cells.map((text, column) => paints[column]?.(text) ?? text));
    }
    yield `${putBack(table.toString().replace(/ +$/gm, ''), wide)}\n`;
  }
}

/**
 * cli-table3 measures text by older Unicode tables than terminals do. So what is not ASCII is laid out as a stand-in
 * of its true width, and put back into the finished lines.
 */
const STAND_IN = '\u{e000}';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');

function standIn(text: string, measure: Measure, wide: string[]): string {
  if (isAscii(text)) return text;
  const width = measure(text);
  wide.push(width === 0 ? `${text} ` : text);
  return STAND_IN.repeat(Math.max(1, width));
}

function putBack(lines: string, wide: readonly string[]): string {
  const texts = wide.values();
  return lines.replace(STAND_INS, () => texts.next().value ?? '');
}

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
const BORDERLESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
};
