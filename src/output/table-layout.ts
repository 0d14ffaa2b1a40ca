import CliTable from 'cli-table3';
import type { Style } from './palette.ts';
import type { Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];
export const GAP = '  ';
const ROWS_PER_PASS = 100;
/**
 * Joins the lines of a pass, which cli-table3 receives as one cell, because it measures, compares,
 * and splits cells far too often for long tables. Cells contain no control characters.
 */
const LINE_BREAK = '\v';
/** The start of a pass: cli-table3 shortens each cell for a debug message, which takes long. */
const QUICK_START = `${' '.repeat(11)}\u001b[0m`;

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
    const table = new CliTable({ chars: BORDERLESS, style: PLAIN });
    table.push([QUICK_START + lines.join(LINE_BREAK)]);
    const text = table.toString().slice(QUICK_START.length).replaceAll(LINE_BREAK, '\n');
    yield `${text.replace(/ +$/gm, '')}\n`;
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
