import { stringify } from 'csv-stringify/sync';
import type { Column } from '../catalog/define.ts';
import { exactNumberText } from '../kernel/exact-json.ts';
import { neutralizeFormula } from '../kernel/formula-text.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import { chooseColumns } from './columns.ts';
import { fieldAt } from './field-selection.ts';
import type { Renderer, View } from './renderer.ts';

/**
 * Renders CSV as in RFC 4180, with CRLF line ends and a header of field names. Adds an apostrophe
 * before text that a spreadsheet would treat as a formula; svc removes it when it reads the file.
 * Quotes an empty cell that is alone on its line, because readers skip blank lines.
 */
export function createCsvRenderer(view: View): Renderer {
  const lines = (rows: readonly (readonly Cell[])[]) =>
    stringify(rows as Cell[][], {
      record_delimiter: 'windows',
      quoted_match: /[\r\n]/,
      quoted_empty: rows[0]?.length === 1,
    });
  const head = (columns: readonly Column[]) =>
    view.headers && columns.length > 0
      ? lines([columns.map(({ field }) => cell(field || 'value', view))])
      : '';
  const body = (columns: readonly Column[], records: readonly unknown[]) =>
    lines(records.map((record) => columns.map(({ field }) => cell(fieldAt(record, field), view))));

  const mark = view.bom ? BYTE_ORDER_MARK : '';
  return {
    async *records(pages) {
      const streams = view.fields !== undefined || view.columns !== undefined;
      const source = streams ? pages : [(await Array.fromAsync(pages)).flat()];
      let columns: readonly Column[] | undefined;
      for await (const page of source) {
        const first = columns === undefined;
        columns ??= chooseColumns(view, page, false);
        yield (first ? mark + head(columns) : '') + body(columns, page);
      }
      if (columns === undefined) yield mark + head(chooseColumns(view, [], false));
    },
    value: (value) => {
      const columns = chooseColumns(view, [value], false);
      return mark + head(columns) + body(columns, [value]);
    },
  };
}

const BYTE_ORDER_MARK = '\ufeff';

type Cell = string | number;

function cell(value: unknown, { isTerminal }: View): Cell {
  if (typeof value === 'number') return value;
  const number = exactNumberText(value);
  if (number !== undefined) return number;
  const text =
    typeof value === 'string'
      ? value
      : value === undefined || value === null
        ? ''
        : JSON.stringify(value);
  return neutralizeFormula(isTerminal ? escapeForTerminal(text) : text);
}
