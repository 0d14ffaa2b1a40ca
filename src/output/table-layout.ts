import type { Style } from './palette.ts';
import type { Measure } from './width.ts';
import { wrap } from './wrap.ts';

export type Row = readonly string[];

export const GAP = '  ';

const ROWS_PER_TEXT = 100;

export function columnWidths(rows: readonly Row[], measure: Measure): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 1, measure(text));
  }
  return widths;
}

export interface TableLayout {
  readonly widths: readonly number[];
  readonly measure: Measure;
  readonly styles: readonly Style[];
  readonly alignRight: readonly boolean[];
  /** Lines per cell for each column. */
  readonly maxLines: readonly number[];
  readonly ellipsis: string;
}

/** Aligns cells in columns. Wraps, then truncates, a cell wider than its column. */
export function* layOutRows(rows: readonly Row[], layout: TableLayout): Generator<string> {
  for (let start = 0; start < rows.length; start += ROWS_PER_TEXT) {
    const part = rows.slice(start, start + ROWS_PER_TEXT);
    yield part.map((row) => layOutRow(row, layout)).join('');
  }
}

function layOutRow(row: Row, { widths, measure, styles, alignRight, maxLines, ellipsis }: TableLayout): string {
  const cells = row.map((text, column) => wrap(text, widths[column] ?? 0, measure, maxLines[column] ?? 1, ellipsis));
  const align = (text: string, column: number): string => {
    const padding = ' '.repeat(Math.max(0, (widths[column] ?? 0) - measure(text)));
    const styled = text && (styles[column]?.(text) ?? text);
    return alignRight[column] ? padding + styled : styled + padding;
  };
  const lines = Array.from({ length: Math.max(...cells.map(({ length }) => length)) }, (_, line) =>
    cells.map((cell, column) => align(cell[line] ?? '', column)).join(GAP),
  );
  return lines.map((line) => `${line.replace(/ +$/, '')}\n`).join('');
}
