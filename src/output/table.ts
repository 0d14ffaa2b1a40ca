import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/is-object.ts';
import { cellText } from './cells.ts';
import { columnsFor } from './columns.ts';
import { GAP, layOut, type Row, widthsOf } from './layout.ts';
import { type Palette, palette } from './paint.ts';
import { collect, type Renderer, type View } from './renderer.ts';
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

async function* recordLines(
  columns: readonly Column[],
  records: readonly unknown[],
  view: View,
  colors?: Palette,
): AsyncGenerator<string> {
  const { look, headers, width } = view;
  const head = columns.map(({ header }) => cellText(header, look));
  const body = records.map((record) => columns.map(({ field, kind }) => cellText(fieldAt(record, field), look, kind)));
  const all = headers ? [head, ...body] : body;
  const measure = await measureFor(all);
  const natural = widthsOf(all, measure);
  if (width && lineWidth(natural) > width) {
    const filled = columns.filter((_, column) => view.fields || body.some((row) => row[column] !== ''));
    if (filled.length < columns.length && filled.length > 0) return yield* recordLines(filled, records, view, colors);
  }
  const widths = width ? fitted(natural, { head, body, columns, room: width, measure }) : natural;
  if (!widths || losesMost(body, widths, columns, measure)) {
    return yield* piles({ head, body, columns, measure, colors }, view);
  }
  const toTheRight = columns.map(({ field, kind }) => look.forPeople && kind !== 'time' && areNumbers(records, field));
  const layout = { widths, measure, toTheRight };
  const most = columns.map(({ kind }) => (kind === 'time' ? 1 : MOST_LINES));
  if (headers) yield* layOut([head], { ...layout, most, ...(colors && { paints: columns.map(() => colors.quiet) }) });
  yield* layOut(body, { ...layout, most, ...(colors && { paints: columns.map(colors.column) }) });
}

interface Fitting {
  readonly head: Row;
  readonly body: readonly Row[];
  readonly columns: readonly Column[];
  readonly room: number;
  readonly measure: Measure;
}

/** Widths that fit the room, or nothing. Where there is too little of it, headers are the first to be wrapped. */
function fitted(natural: readonly number[], { head, body, columns, room, measure }: Fitting): number[] | undefined {
  const words = head.map((header) => header.split(' ').sort((a, b) => measure(b) - measure(a))[0] ?? '');
  return fitWidths(
    lineWidth(natural) > room ? widthsOf([words, ...body], measure) : natural,
    columns,
    room,
    GAP.length,
  );
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

interface Piles {
  readonly head: Row;
  readonly body: readonly Row[];
  readonly columns: readonly Column[];
  readonly measure: Measure;
  readonly colors: Palette | undefined;
}

/** Where the columns do not fit beside each other: each record as a pile of its fields. */
function* piles({ head, body, columns, measure, colors }: Piles, view: View): Generator<string> {
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
  if (!isObject(value) || Object.keys(value).length === 0) {
    const isTime = (view.look.forPeople || view.look.time !== 'iso') && isTimeField(path, value);
    if (path) yield [cellText(path, view.look), cellText(value, view.look, isTime ? 'time' : 'text')];
    return;
  }
  for (const [name, inner] of Object.entries(value)) yield* fieldRows(inner, view, path ? `${path}.${name}` : name);
}
