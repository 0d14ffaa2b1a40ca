import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/is-object.ts';
import { cellText } from './cells.ts';
import { columnsFor } from './columns.ts';
import { GAP, layOut, type Paint, type Row, widthsOf } from './layout.ts';
import { collect, type Renderer, type View } from './renderer.ts';
import { fieldAt } from './select.ts';
import { fitWidths, measureFor } from './width.ts';

/** Records in aligned columns; one value as a line for each of its fields. */
export async function tableRenderer(view: View): Promise<Renderer> {
  const paint = view.color ? await dim() : undefined;
  return {
    async *records(pages) {
      const records = await collect(pages);
      const columns = columnsFor(view, records);
      if (columns.length > 0) yield* recordLines(columns, records, view, paint);
    },
    value: async (value) => {
      if (!isObject(value)) return value === undefined || value === null ? '' : `${cellText(value)}\n`;
      const rows = [...fieldRows(value)];
      const measure = await measureFor(rows);
      return [...layOut(rows, widthsOf(rows, measure), measure, paint && [paint])].join('');
    },
  };
}

async function dim(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return (text) => chalk.dim(text);
}

async function* recordLines(columns: readonly Column[], records: readonly unknown[], view: View, paint?: Paint) {
  const head = columns.map(({ header }) => cellText(header));
  const body = records.map((record) => columns.map(({ field, kind }) => cellText(fieldAt(record, field), kind)));
  const all = view.headers ? [head, ...body] : body;
  const measure = await measureFor(all);
  const natural = widthsOf(all, measure);
  const widths = view.width ? fitWidths(natural, columns, view.width, GAP.length) : natural;
  if (view.headers) yield* layOut([head], widths, measure, paint && columns.map(() => paint));
  yield* layOut(body, widths, measure);
}

/** Each leaf of an object under its path, which is also what `--fields` takes. Nothing here is cut: any of it may be an id. */
function* fieldRows(value: unknown, path = ''): Generator<Row> {
  if (!isObject(value) || Object.keys(value).length === 0) {
    if (path) yield [cellText(path), cellText(value)];
    return;
  }
  for (const [name, inner] of Object.entries(value)) yield* fieldRows(inner, path ? `${path}.${name}` : name);
}
