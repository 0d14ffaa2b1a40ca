import { stringify } from 'csv-stringify/sync';
import type { Column } from '../catalog/define.ts';
import { exactNumber } from '../kernel/exact-json.ts';
import { neutralizeFormula } from '../kernel/formula-text.ts';
import { safeText } from '../kernel/safe-text.ts';
import { columnsFor } from './columns.ts';
import { collect, type Renderer, type View } from './renderer.ts';
import { fieldAt } from './select.ts';

/**
 * RFC 4180: lines end with CR LF, field names head the columns. A text that a spreadsheet would take for a formula
 * gets an apostrophe in front, which the reader of records takes off again. An empty cell that is alone in its line is quoted, because readers skip blank lines.
 */
export function csvRenderer(view: View): Renderer {
  const lines = (rows: readonly (readonly Cell[])[]) =>
    stringify(rows as Cell[][], {
      record_delimiter: 'windows',
      quoted_match: /[\r\n]/,
      quoted_empty: rows[0]?.length === 1,
    });
  const head = (columns: readonly Column[]) =>
    view.headers && columns.length > 0 ? lines([columns.map(({ field }) => cell(field || 'value', view))]) : '';
  const body = (columns: readonly Column[], records: readonly unknown[]) =>
    lines(records.map((record) => columns.map(({ field }) => cell(fieldAt(record, field), view))));

  return {
    async *records(pages) {
      const streams = view.fields !== undefined || view.columns !== undefined;
      const source = streams ? pages : [await collect(pages)];
      let columns: readonly Column[] | undefined;
      for await (const page of source) {
        const first = columns === undefined;
        columns ??= columnsFor(view, page);
        yield (first ? head(columns) : '') + body(columns, page);
      }
      if (columns === undefined) yield head(columnsFor(view, []));
    },
    value: (value) => {
      const columns = columnsFor(view, [value]);
      return head(columns) + body(columns, [value]);
    },
  };
}

type Cell = string | number;

/** Numbers stay numbers, so that a negative one is not taken for a formula. Lists and objects are JSON. */
function cell(value: unknown, { isTerminal }: View): Cell {
  if (typeof value === 'number') return value;
  const number = exactNumber(value);
  if (number !== undefined) return number;
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  return neutralizeFormula(isTerminal ? safeText(text) : text);
}
