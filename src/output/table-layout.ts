import CliTable from 'cli-table3';
import type { Style } from './palette.ts';
import { isAscii, type Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];
export const GAP = '  ';
/**
 * Rows per layout pass: cli-table3 compares each cell with all previous cells, which is slow for
 * long tables.
 */
const ROWS_PER_PASS = 100;

export function columnWidths(rows: readonly Row[], measure: Measure): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries())
      widths[column] = Math.max(widths[column] ?? 1, measure(text));
  }
  return widths;
}

export interface TableLayout {
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly styles: readonly Style[];
  readonly alignRight?: readonly boolean[];
  /** Lines per cell for each column (default: 1). */
  readonly maxLines?: readonly number[];
  readonly ellipsis?: string;
}

/** Aligns cells in columns. Wraps, then truncates, a cell wider than its column. */
export function* layOutRows(rows: readonly Row[], layout: TableLayout): Generator<string> {
  const { widths, alignRight = [] } = layout;
  const colAligns = widths.map((_, column) =>
    alignRight[column] ? ('right' as const) : ('left' as const),
  );
  for (let start = 0; start < rows.length; start += ROWS_PER_PASS) {
    const table = new CliTable({
      chars: BORDERLESS,
      style: PLAIN,
      colWidths: [...widths],
      colAligns,
    });
    const wide: string[] = [];
    for (const row of rows.slice(start, start + ROWS_PER_PASS))
      table.push(...linesOf(row, layout, wide));
    yield `${restorePlaceholders(table.toString().replace(/ +$/gm, ''), wide)}\n`;
  }
}

function linesOf(
  row: Row,
  { widths, measure, styles, maxLines = [], ellipsis }: TableLayout,
  wide: string[],
) {
  const cells = row.map((text, column) =>
    wrap(text, widths[column] ?? 0, measure, maxLines[column] ?? 1, ellipsis),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells.map((lines, column) => toPlaceholder(lines[line] ?? '', measure, wide, styles[column])),
  );
}

/**
 * Stands in for non-ASCII text during layout, because cli-table3 measures text with older Unicode
 * tables than terminals.
 */
const PLACEHOLDER = '\u{e000}';
const PLACEHOLDERS = new RegExp(`${PLACEHOLDER}+`, 'g');

function toPlaceholder(
  text: string,
  measure: Measure,
  wide: string[],
  style: Style = (same) => same,
): string {
  if (isAscii(text)) return text === '' ? '' : style(text);
  const width = measure(text);
  wide.push(style(width === 0 ? `${text} ` : text));
  return PLACEHOLDER.repeat(Math.max(1, width));
}

function restorePlaceholders(lines: string, wide: readonly string[]): string {
  const texts = wide.values();
  return lines.replace(PLACEHOLDERS, () => texts.next().value ?? '');
}

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
const EDGES = `top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right
  left left-mid mid mid-mid right right-mid`.split(/\s+/);
const BORDERLESS = { ...Object.fromEntries(EDGES.map((edge) => [edge, ''])), middle: GAP };
