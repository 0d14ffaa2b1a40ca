import type { Style } from './palette.ts';
import type { Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];
export const GAP = '  ';
/** Rows that are laid out at a time, so that a long table is printed while it is laid out. */
const ROWS_PER_PASS = 100;

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

/** Aligns cells in columns. Wraps, then truncates, a cell wider than its column. */
export function* layOutRows(rows: readonly Row[], layout: TableLayout): Generator<string> {
  for (let start = 0; start < rows.length; start += ROWS_PER_PASS) {
    const pass = rows.slice(start, start + ROWS_PER_PASS);
    const lines = pass.flatMap((row) => linesOf(row, layout));
    yield lines.map((line) => `${line.replace(/ +$/, '')}\n`).join('');
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
