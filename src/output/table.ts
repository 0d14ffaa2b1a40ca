import type { Column } from '../catalog/define.ts';
import { exactNumberText } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/json.ts';
import { chooseColumns, columnKindOf, formatCell } from './columns.ts';
import type { DisplayOptions } from './display-options.ts';
import { type FieldListOptions, renderFieldList } from './field-list.ts';
import { fieldAt } from './field-selection.ts';
import { loadPalette, type Palette } from './palette.ts';
import { RECORDS_PER_PART, type Renderer, singlePage, splitPage, type View } from './renderer.ts';
import { GAP, layOutRows, type Row } from './table-layout.ts';
import {
  continueTable,
  createContent,
  dropEmptyColumns,
  MAX_CELL_LINES,
  planTable,
  type TableContent,
  type TablePlan,
} from './table-plan.ts';
import { isTimeField } from './times.ts';
import { createMeasure, type Measure } from './width.ts';

export async function createTableRenderer(view: View): Promise<Renderer> {
  const colors = await loadPalette(view.color);
  return {
    async *records(pages) {
      let table:
        | { readonly columns: readonly Column[]; readonly plan: TablePlan | undefined }
        | undefined;
      const hidden = new Set<number>();
      try {
        for await (const records of readParts(pages, view)) {
          const columns = table?.columns ?? chooseColumns(view, records, true);
          // Without records, the caller prints a message instead.
          if (columns.length === 0 || records.length === 0) return;
          const content = await createContent(columns, records, view);
          const isFirst = table === undefined;
          table ??= { columns, plan: await planTable(content, view) };
          const plan = isFirst
            ? table.plan
            : table.plan && (await continueTable(table.plan, content, view));
          for (const column of plan?.hidden ?? []) hidden.add(column);
          if (plan) yield* renderColumns(plan, view, colors, isFirst && view.headers);
          else {
            if (!isFirst) yield '\n';
            yield* renderRecordLists(dropEmptyColumns(content, view), view, colors);
          }
        }
      } finally {
        if (hidden.size > 0) view.reportHidden?.(hidden.size);
      }
    },
    value: async (value) => {
      if (!isObject(value))
        return value === undefined || value === null ? '' : `${formatCell(value, view.display)}\n`;
      const fields =
        view.fields?.map((path) => [path, fieldAt(value, path)] as const) ?? Object.entries(value);
      const rows = [...nestedRows(fields, view.display)];
      const measure = await createMeasure(rows);
      return [...renderFields(rows, view, measure, colors)].join('');
    },
  };
}

/**
 * Yields the records that determine the columns of the table, at least `RECORDS_PER_PART` if there
 * are so many, and then the others as they arrive. In a pipe, pages stay whole, so that the columns
 * fit a page from its first line.
 */
async function* readParts(
  pages: AsyncIterable<readonly unknown[]>,
  { display, columns, fields }: View,
) {
  const areKnown = (columns ?? fields) !== undefined;
  const planned: unknown[] = [];
  let isPlanned = false;
  for await (const page of pages) {
    for (const part of display.isInteractive ? splitPage(page) : [page]) {
      if (isPlanned && part.length > 0) yield part;
      if (isPlanned) continue;
      for (const record of part) planned.push(record);
      isPlanned = planned.length >= RECORDS_PER_PART && areKnown;
      if (isPlanned) yield planned;
    }
  }
  if (!isPlanned) yield planned;
}

export async function renderTable(records: readonly unknown[], view: View): Promise<string> {
  const { records: rendered } = await createTableRenderer(view);
  return (await Array.fromAsync(rendered(singlePage(records)))).join('');
}

async function* renderColumns(
  { content, widths }: TablePlan,
  view: View,
  colors: Palette,
  hasHeader: boolean,
) {
  const { columns, head, body, measure, alignRight } = content;
  const layout = { widths, measure, alignRight, ellipsis: view.display.glyphs.ellipsis };
  const maxLines = columns.map(({ kind }) => (kind === 'time' ? 1 : MAX_CELL_LINES));
  if (hasHeader)
    yield* layOutRows([head], { ...layout, maxLines, styles: columns.map(() => colors.dim) });
  const styles = columns.map(colors.column);
  for (const text of layOutRows(body, { ...layout, maxLines, styles })) {
    yield text;
    await view.pause?.();
  }
}

async function* renderRecordLists(
  { head, body, columns, measure }: TableContent,
  view: View,
  colors: Palette,
) {
  for (const [index, row] of body.entries()) {
    await view.pause?.();
    if (index > 0) yield '\n';
    const filled = [...row.keys()].filter((column) => row[column] !== '');
    const rows = filled.map((column) => [head[column] ?? '', row[column] ?? '']);
    const isProse = (at: number) => (columns[filled[at] ?? 0]?.kind ?? 'text') === 'text';
    yield* renderFields(rows, view, measure, colors, { names: head, isProse });
  }
}

type ListOptions = Pick<FieldListOptions, 'names' | 'isProse'>;

/** Renders names and values without truncation, because any value may be an ID. */
function renderFields(
  rows: readonly Row[],
  view: View,
  measure: Measure,
  colors: Palette,
  list: ListOptions = {},
) {
  const { display, width } = view;
  const limit = (display.isInteractive && width) || Number.POSITIVE_INFINITY;
  return renderFieldList(rows, { measure, width: limit, gap: GAP, style: colors.dim, ...list });
}

const INDENT = '  ';
const BULLET = '- ';
type Field = readonly [name: string, value: unknown];

/**
 * Yields indented names and their texts. Objects and lists of objects yield their name, then their
 * fields.
 */
function* nestedRows(
  fields: Iterable<Field>,
  display: DisplayOptions,
  indent = '',
): Generator<Row> {
  for (const [name, value] of fields) {
    const label = indent + formatCell(name, display);
    if (hasFields(value)) {
      yield [label, ''];
      yield* nestedRows(Object.entries(value), display, indent + INDENT);
    } else if (Array.isArray(value) && value.some(hasFields)) {
      yield [label, ''];
      for (const item of value) yield* itemRows(item, display, indent + INDENT);
    } else {
      const isTime = (display.isInteractive || display.time !== 'iso') && isTimeField(name, value);
      yield [label, formatCell(value, display, isTime ? 'time' : columnKindOf(name))];
    }
  }
}

function* itemRows(item: unknown, display: DisplayOptions, indent: string): Generator<Row> {
  if (!hasFields(item)) return yield [indent + BULLET.trimEnd(), formatCell(item, display)];
  const [[first = '', text = ''] = [], ...rows] = nestedRows(
    Object.entries(item),
    display,
    indent + INDENT,
  );
  yield [`${indent}${BULLET}${first.slice(indent.length + BULLET.length)}`, text];
  yield* rows;
}

function hasFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.keys(value).length > 0 && exactNumberText(value) === undefined;
}
