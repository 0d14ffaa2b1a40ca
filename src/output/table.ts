import type { Column } from '../catalog/define.ts';
import { exactNumber } from '../kernel/exact-json.ts';
import { isObject } from '../kernel/is-object.ts';
import { cellText } from './cells.ts';
import { columnsFor } from './columns.ts';
import { GAP, layOut, type Row, widthsOf } from './layout.ts';
import { type Palette, palette } from './paint.ts';
import { collect, onePage, type Renderer, type View } from './renderer.ts';
import { fieldAt } from './select.ts';
import { type Stack, stacked } from './stacked.ts';
import { isTimeField } from './times.ts';
import { fitWidths, type Measure, measureFor } from './width.ts';

/** Lines that a cell may take on a terminal before its rest is cut. */
const MOST_LINES = 3;

/** Records in aligned columns; one value as a line for each of its fields. */
export async function tableRenderer(view: View): Promise<Renderer> {
  const colors = view.color ? await palette() : undefined;
  return {
    async *records(pages) {
      const records = await collect(pages);
      const columns = columnsFor(view, records);
      // A person is told in words that there is nothing; a header without lines tells a program.
      if (columns.length > 0 && (records.length > 0 || !view.look.forPeople)) {
        yield* recordLines(columns, records, view, colors);
      }
    },
    value: async (value) => {
      if (!isObject(value)) return value === undefined || value === null ? '' : `${cellText(value, view.look)}\n`;
      const rows = [...fieldRows(value, view)];
      const measure = await measureFor(rows);
      return [...fieldLines(rows, view, measure, colors)].join('');
    },
  };
}

/** Records as the text of a table, for a drawing that holds one. */
export async function tableText(records: readonly unknown[], view: View): Promise<string> {
  const { records: rendered } = await tableRenderer(view);
  const texts: string[] = [];
  for await (const text of rendered(onePage(records))) texts.push(text);
  return texts.join('');
}

async function* recordLines(
  columns: readonly Column[],
  records: readonly unknown[],
  view: View,
  colors?: Palette,
): AsyncGenerator<string> {
  const whole = await sheetOf(columns, records, view);
  const natural = naturalWidths(whole, view);
  if (!view.width || lineWidth(natural) <= view.width) return yield* sideBySide(whole, natural, view, colors);
  const choices = view.fields ? [columns] : choicesOf(whole);
  for (const choice of choices) {
    const sheet = await sheetOf(choice, records, view);
    const widths = fittedWidths(sheet, view, view.width);
    if (widths) return yield* sideBySide(sheet, widths, view, colors);
  }
  yield* piles(await sheetOf(choices[0] ?? columns, records, view), view, colors);
}

/** What to show where not all has room: the columns that say anything, then those that cannot be done without. */
function choicesOf({ columns, body }: Sheet): (readonly Column[])[] {
  const filled = columns.filter((_, column) => body.some((row) => row[column] !== ''));
  return [filled, filled.filter(({ extra }) => !extra)].filter(({ length }) => length > 0);
}

/** What stands in the cells. */
interface Sheet {
  readonly columns: readonly Column[];
  readonly records: readonly unknown[];
  readonly head: Row;
  readonly body: readonly Row[];
  readonly measure: Measure;
}

async function sheetOf(columns: readonly Column[], records: readonly unknown[], { look }: View): Promise<Sheet> {
  const head = columns.map(({ header }) => cellText(header, look));
  const body = records.map((record) => columns.map(({ field, kind }) => cellText(fieldAt(record, field), look, kind)));
  return { columns, records, head, body, measure: await measureFor([head, ...body]) };
}

function naturalWidths({ head, body, measure }: Sheet, { headers }: View): readonly number[] {
  return widthsOf(headers ? [head, ...body] : body, measure);
}

/** Widths that fit the room, or nothing where none do or most of the text would be lost. */
function fittedWidths(sheet: Sheet, view: View, room: number): readonly number[] | undefined {
  const { columns, head, body, measure } = sheet;
  const natural = naturalWidths(sheet, view);
  if (lineWidth(natural) <= room) return natural;
  // Headers are the first to be wrapped.
  const words = head.map((header) => header.split(' ').sort((a, b) => measure(b) - measure(a))[0] ?? '');
  const widths = fitWidths(widthsOf([words, ...body], measure), columns, room, GAP.length);
  return widths && losesMost(body, widths, columns, measure) ? undefined : widths;
}

function* sideBySide(
  { columns, records, head, body, measure }: Sheet,
  widths: readonly number[],
  { look, headers }: View,
  colors?: Palette,
): Generator<string> {
  const toTheRight = columns.map(({ field, kind }) => look.forPeople && kind !== 'time' && areNumbers(records, field));
  const layout = { widths, measure, toTheRight, ellipsis: look.signs.ellipsis };
  const most = columns.map(({ kind }) => (kind === 'time' ? 1 : MOST_LINES));
  if (headers) yield* layOut([head], { ...layout, most, ...(colors && { paints: columns.map(() => colors.quiet) }) });
  yield* layOut(body, { ...layout, most, ...(colors && { paints: columns.map(colors.column) }) });
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** Whether text would be cut in more records than not: a table of beginnings is of no use. */
function losesMost(body: readonly Row[], widths: readonly number[], columns: readonly Column[], measure: Measure) {
  const isCut = (text: string, column: number) =>
    (columns[column]?.kind ?? 'text') === 'text' && measure(text) > (widths[column] ?? 0) * MOST_LINES;
  return body.filter((row) => row.some(isCut)).length * 2 > body.length;
}

function areNumbers(records: readonly unknown[], field: string): boolean {
  const values = records
    .map((record) => fieldAt(record, field))
    .filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

/** Where the columns do not fit beside each other: each record as a pile of its fields. */
function* piles({ head, body, columns, measure }: Sheet, view: View, colors?: Palette): Generator<string> {
  for (const [index, row] of body.entries()) {
    if (index > 0) yield '\n';
    const filled = [...row.keys()].filter((column) => row[column] !== '');
    const rows = filled.map((column) => [head[column] ?? '', row[column] ?? '']);
    const isProse = (at: number) => (columns[filled[at] ?? 0]?.kind ?? 'text') === 'text';
    yield* fieldLines(rows, view, measure, colors, { names: head, isProse });
  }
}

/** Names and values. Nothing here is cut: any of it may be an id. */
function* fieldLines(
  rows: readonly Row[],
  { look, width }: View,
  measure: Measure,
  colors?: Palette,
  pile: Pick<Stack, 'names' | 'isProse'> = {},
) {
  const paint = colors?.quiet;
  if (look.forPeople && width)
    yield* stacked(rows, { measure, room: width, gap: GAP, ...(paint && { paint }), ...pile });
  else yield* layOut(rows, { widths: widthsOf(rows, measure), measure, ...(paint && { paints: [paint] }) });
}

/** Each leaf of an object under its path, which is also what `--fields` takes. */
function* fieldRows(value: unknown, view: View, path = ''): Generator<Row> {
  if (!isObject(value) || Object.keys(value).length === 0 || exactNumber(value) !== undefined) {
    const isTime = (view.look.forPeople || view.look.time !== 'iso') && isTimeField(path, value);
    if (path) yield [cellText(path, view.look), cellText(value, view.look, isTime ? 'time' : 'text')];
    return;
  }
  for (const [name, inner] of Object.entries(value)) yield* fieldRows(inner, view, path ? `${path}.${name}` : name);
}
