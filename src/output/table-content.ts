import type { Column } from '../catalog/define.ts';
import { formatCell } from './cells.ts';
import { fieldAt } from './field-selection.ts';
import type { View } from './renderer.ts';
import { columnWidths } from './table-layout.ts';
import { shortenTime, type TimePrecision } from './times.ts';
import { createMeasure } from './width.ts';

export type TableContent = Awaited<ReturnType<typeof createContent>>;

export async function createContent(columns: readonly Column[], records: readonly unknown[], { display }: View) {
  const head = columns.map(({ header }) => formatCell(header, display));
  const body = records.map((record) => columns.map(({ field, kind }) => formatCell(fieldAt(record, field), display, kind)));
  // Numbers are aligned right.
  const alignRight = columns.map(({ field, kind }) => display.isInteractive && kind !== 'time' && areNumbers(records, field));
  return { columns, head, body, measure: await createMeasure([head, ...body]), alignRight };
}

export function selectContent(content: TableContent, kept: readonly number[], precision: TimePrecision): TableContent {
  const pick = <Item>(row: readonly Item[]) => kept.map((column) => row[column]).filter((item) => item !== undefined);
  const columns = pick(content.columns);
  const shorten = (text: string, column: number) => (columns[column]?.kind === 'time' ? shortenTime(text, precision) : text);
  return {
    columns,
    head: pick(content.head),
    body: content.body.map((row) => pick(row).map(shorten)),
    measure: content.measure,
    alignRight: pick(content.alignRight),
  };
}

export function naturalWidths({ head, body, measure }: TableContent, { headers }: View): readonly number[] {
  return columnWidths(headers ? [head, ...body] : body, measure);
}

function areNumbers(records: readonly unknown[], field: string): boolean {
  const values = records.map((record) => fieldAt(record, field)).filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
