import type { Column } from '../catalog/define.ts';
import { exactNumberText } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/is-object.ts';
import { cellText } from './cells.ts';
import { chooseColumns } from './columns.ts';
import { type FieldListOptions, renderFieldList } from './field-list.ts';
import { fieldAt } from './field-selection.ts';
import { loadPalette, type Palette } from './palette.ts';
import { collectPages, type Renderer, singlePage, type View } from './renderer.ts';
import { columnWidths, GAP, layOutRows, type Row } from './table-layout.ts';
import { isTimeField } from './times.ts';
import { createMeasure, fitWidths, type Measure } from './width.ts';

/** Lines per cell on a terminal before it is truncated. */
const MAX_CELL_LINES = 3;

/** Renders records in aligned columns, and a single value with one line per field. */
export async function createTableRenderer(view: View): Promise<Renderer> {
  const colors = view.color ? await loadPalette() : undefined;
  return {
    async *records(pages) {
      const records = await collectPages(pages);
      const columns = chooseColumns(view, records);
      // Without records, a program gets the header alone, and a person gets a message instead.
      if (columns.length > 0 && (records.length > 0 || !view.display.isInteractive)) {
        yield* renderRecords(columns, records, view, colors);
      }
    },
    value: async (value) => {
      if (!isObject(value)) return value === undefined || value === null ? '' : `${cellText(value, view.display)}\n`;
      const rows = [...fieldRows(value, view)];
      const measure = await createMeasure(rows);
      return [...renderFields(rows, view, measure, colors)].join('');
    },
  };
}

/** Renders records as a table, for output that contains one. */
export async function renderTable(records: readonly unknown[], view: View): Promise<string> {
  const { records: rendered } = await createTableRenderer(view);
  const texts: string[] = [];
  for await (const text of rendered(singlePage(records))) texts.push(text);
  return texts.join('');
}

async function* renderRecords(
  columns: readonly Column[],
  records: readonly unknown[],
  view: View,
  colors?: Palette,
): AsyncGenerator<string> {
  const whole = await createContent(columns, records, view);
  const natural = naturalWidths(whole, view);
  if (!view.width || lineWidth(natural) <= view.width) return yield* renderColumns(whole, natural, view, colors);
  const choices = view.fields ? [columns] : columnChoices(whole);
  for (const choice of choices) {
    const content = await createContent(choice, records, view);
    const widths = fitContent(content, view, view.width);
    if (widths) return yield* renderColumns(content, widths, view, colors);
  }
  yield* renderRecordLists(await createContent(choices[0] ?? columns, records, view), view, colors);
}

/** Choices of columns if not all fit: the non-empty ones, then the non-empty required ones. */
function columnChoices({ columns, body }: TableContent): (readonly Column[])[] {
  const filled = columns.filter((_, column) => body.some((row) => row[column] !== ''));
  return [filled, filled.filter(({ extra }) => !extra)].filter(({ length }) => length > 0);
}

/** The text of the cells. */
interface TableContent {
  readonly columns: readonly Column[];
  readonly records: readonly unknown[];
  readonly head: Row;
  readonly body: readonly Row[];
  readonly measure: Measure;
}

async function createContent(
  columns: readonly Column[],
  records: readonly unknown[],
  { display }: View,
): Promise<TableContent> {
  const head = columns.map(({ header }) => cellText(header, display));
  const body = records.map((record) =>
    columns.map(({ field, kind }) => cellText(fieldAt(record, field), display, kind)),
  );
  return { columns, records, head, body, measure: await createMeasure([head, ...body]) };
}

function naturalWidths({ head, body, measure }: TableContent, { headers }: View): readonly number[] {
  return columnWidths(headers ? [head, ...body] : body, measure);
}

/** Widths that fit the line; `undefined` if the columns cannot fit or most of the text would be truncated. */
function fitContent(content: TableContent, view: View, available: number): readonly number[] | undefined {
  const { columns, head, body, measure } = content;
  const natural = naturalWidths(content, view);
  if (lineWidth(natural) <= available) return natural;
  // Headers are the first to be wrapped.
  const words = head.map((header) => header.split(' ').sort((a, b) => measure(b) - measure(a))[0] ?? '');
  const widths = fitWidths(columnWidths([words, ...body], measure), columns, available, GAP.length);
  return widths && isMostlyCut(body, widths, columns, measure) ? undefined : widths;
}

function* renderColumns(
  { columns, records, head, body, measure }: TableContent,
  widths: readonly number[],
  { display, headers }: View,
  colors?: Palette,
): Generator<string> {
  const alignRight = columns.map(
    ({ field, kind }) => display.isInteractive && kind !== 'time' && areNumbers(records, field),
  );
  const layout = { widths, measure, alignRight, ellipsis: display.glyphs.ellipsis };
  const maxLines = columns.map(({ kind }) => (kind === 'time' ? 1 : MAX_CELL_LINES));
  if (headers)
    yield* layOutRows([head], { ...layout, maxLines, ...(colors && { paints: columns.map(() => colors.dim) }) });
  yield* layOutRows(body, { ...layout, maxLines, ...(colors && { paints: columns.map(colors.column) }) });
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** Whether text would be truncated in more than half of the records. */
function isMostlyCut(body: readonly Row[], widths: readonly number[], columns: readonly Column[], measure: Measure) {
  const isCut = (text: string, column: number) =>
    (columns[column]?.kind ?? 'text') === 'text' && measure(text) > (widths[column] ?? 0) * MAX_CELL_LINES;
  return body.filter((row) => row.some(isCut)).length * 2 > body.length;
}

function areNumbers(records: readonly unknown[], field: string): boolean {
  const values = records
    .map((record) => fieldAt(record, field))
    .filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

/** Renders each record as a list of its fields, for columns that do not fit side by side. */
function* renderRecordLists(
  { head, body, columns, measure }: TableContent,
  view: View,
  colors?: Palette,
): Generator<string> {
  for (const [index, row] of body.entries()) {
    if (index > 0) yield '\n';
    const filled = [...row.keys()].filter((column) => row[column] !== '');
    const rows = filled.map((column) => [head[column] ?? '', row[column] ?? '']);
    const isProse = (at: number) => (columns[filled[at] ?? 0]?.kind ?? 'text') === 'text';
    yield* renderFields(rows, view, measure, colors, { names: head, isProse });
  }
}

/** Renders names and values without truncation, because any value may be an ID. */
function* renderFields(
  rows: readonly Row[],
  { display, width }: View,
  measure: Measure,
  colors?: Palette,
  list: Pick<FieldListOptions, 'names' | 'isProse'> = {},
) {
  const paint = colors?.dim;
  if (display.isInteractive && width)
    yield* renderFieldList(rows, { measure, width: width, gap: GAP, ...(paint && { paint }), ...list });
  else yield* layOutRows(rows, { widths: columnWidths(rows, measure), measure, ...(paint && { paints: [paint] }) });
}

/** Yields each leaf of an object with its path, in the form that `--fields` takes. */
function* fieldRows(value: unknown, view: View, path = ''): Generator<Row> {
  if (!isObject(value) || Object.keys(value).length === 0 || exactNumberText(value) !== undefined) {
    const isTime = (view.display.isInteractive || view.display.time !== 'iso') && isTimeField(path, value);
    if (path) yield [cellText(path, view.display), cellText(value, view.display, isTime ? 'time' : 'text')];
    return;
  }
  for (const [name, inner] of Object.entries(value)) yield* fieldRows(inner, view, path ? `${path}.${name}` : name);
}
