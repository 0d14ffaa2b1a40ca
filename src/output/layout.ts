import CliTable from 'cli-table3';
import type { Paint } from './paint.ts';
import { isAscii, type Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];

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

export interface Layout {
  readonly widths: readonly number[];
  readonly measure: Measure;
  /** Colours for whole columns. */
  readonly paints?: readonly Paint[];
  /** Columns whose cells end below each other, as numbers do. */
  readonly toTheRight?: readonly boolean[];
  /** Lines that the cells of a column may take where they are wider than it; one where nothing is said. */
  readonly most?: readonly number[];
  /** What ends a cell that is cut. */
  readonly ellipsis?: string;
}

/** Lines of cells aligned in columns; what is wider than its column is wrapped, and in the end cut. */
export function* layOut(rows: readonly Row[], layout: Layout): Generator<string> {
  const { widths, toTheRight = [] } = layout;
  const colAligns = widths.map((_, column) => (toTheRight[column] ? ('right' as const) : ('left' as const)));
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const table = new CliTable({ chars: BORDERLESS, style: PLAIN, colWidths: [...widths], colAligns });
    const wide: string[] = [];
    for (const row of rows.slice(start, start + ROWS_AT_ONCE)) table.push(...linesOf(row, layout, wide));
    yield `${putBack(table.toString().replace(/ +$/gm, ''), wide)}\n`;
  }
}

/** A row as the lines that it takes on the screen. */
function linesOf(row: Row, { widths, measure, paints = [], most = [], ellipsis }: Layout, wide: string[]): string[][] {
  const cells = row.map((text, column) => wrap(text, widths[column] ?? 0, measure, most[column] ?? 1, ellipsis));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells.map((lines, column) => standIn(lines[line] ?? '', measure, wide, paints[column])),
  );
}

/**
 * cli-table3 measures text by older Unicode tables than terminals do. So what is not ASCII is laid out as a stand-in
 * of its true width, and put back into the finished lines.
 */
const STAND_IN = '\u{e000}';
const STAND_INS = new RegExp(`${STAND_IN}+`, 'g');

function standIn(text: string, measure: Measure, wide: string[], paint: Paint = (same) => same): string {
  if (isAscii(text)) return text === '' ? '' : paint(text);
  const width = measure(text);
  wide.push(paint(width === 0 ? `${text} ` : text));
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
