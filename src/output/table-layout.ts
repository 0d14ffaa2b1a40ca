import CliTable from 'cli-table3';
import type { Style } from './palette.ts';
import type { Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];
export const GAP = '  ';
/** Rows per layout pass: cli-table3 compares each row with all previous rows. */
const ROWS_PER_PASS = 50;

/** @param minimums minimum widths (default: 1) */
export function columnWidths(
  rows: readonly Row[],
  measure: Measure,
  minimums: readonly number[] = [],
): number[] {
  const widths = [...minimums];
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

/**
 * Aligns cells in columns. Wraps, then truncates, a cell wider than its column. cli-table3 receives
 * each line as one cell, because it measures and compares cells far too often for long tables.
 */
export function* layOutRows(rows: readonly Row[], layout: TableLayout): Generator<string> {
  for (let start = 0; start < rows.length; start += ROWS_PER_PASS) {
    const table = new CliTable({ chars: BORDERLESS, style: PLAIN });
    for (const row of rows.slice(start, start + ROWS_PER_PASS))
      for (const line of linesOf(row, layout)) table.push([line]);
    yield `${table.toString().replace(/ +$/gm, '')}\n`;
  }
}

function linesOf(row: Row, layout: TableLayout): readonly string[] {
  const { widths, measure, maxLines = [], ellipsis } = layout;
  if (row.every((text, column) => measure(text) <= (widths[column] ?? 0)))
    return [alignLine(row, layout)];
  const cells = row.map((text, column) =>
    wrap(text, widths[column] ?? 0, measure, maxLines[column] ?? 1, ellipsis),
  );
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    alignLine(
      cells.map((lines) => lines[line] ?? ''),
      layout,
    ),
  );
}

function alignLine(texts: Row, { widths, measure, styles, alignRight = [] }: TableLayout): string {
  let line = '';
  for (const [column, text] of texts.entries()) {
    const styled = text === '' ? '' : (styles[column]?.(text) ?? text);
    const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - measure(text)));
    line += (column > 0 ? GAP : '') + (alignRight[column] ? padding + styled : styled + padding);
  }
  return line;
}

const PLAIN = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
const EDGES = `top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right
  left left-mid mid mid-mid right right-mid`.split(/\s+/);
const BORDERLESS = Object.fromEntries(EDGES.map((edge) => [edge, '']));
