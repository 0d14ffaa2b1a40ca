import type { Column } from '../catalog/define.ts';
import { formatCell } from './columns.ts';
import { fieldAt } from './field-selection.ts';
import { splitPage, type View } from './renderer.ts';
import { columnWidths, GAP } from './table-layout.ts';
import { shortenTime, type TimePrecision } from './times.ts';
import { createMeasure, type Measure } from './width.ts';
import { wordsOf, wrap } from './wrap.ts';

export const MAX_CELL_LINES = 3;

export interface TablePlan {
  readonly content: TableContent;
  readonly widths: readonly number[];
  /** Columns of the whole content that the table contains, and those with values that it hides. */
  readonly kept: readonly number[];
  readonly hidden: readonly number[];
  readonly precision: TimePrecision;
}

/**
 * Fits a table to its terminal. In this order, drops empty columns, wraps text, shortens times, and
 * hides columns in their declared order. Returns `undefined` if the remaining columns don't fit, or
 * if most of their text would be truncated.
 */
export async function planTable(content: TableContent, view: View): Promise<TablePlan | undefined> {
  const all = [...content.columns.keys()];
  const natural = await measureColumns(content, view);
  if (!view.width || lineWidth(natural) <= view.width)
    return { content, widths: natural, kept: all, hidden: [], precision: 'second' };
  const filled = filledColumns(content);
  const steps = [[], ...(view.fields ? [] : hidingSteps(content.columns, filled))];
  for (const { hidden, precision } of narrowings(steps, content.columns)) {
    const kept = (view.fields ? all : filled).filter((column) => !hidden.includes(column));
    const plan = fitContent(selectContent(content, kept, precision), view, view.width);
    if (plan) return { ...plan, kept, hidden, precision };
  }
  return undefined;
}

/**
 * Continues a table in the same columns, which become wider if the table still fits, or if their
 * text cannot be wrapped.
 */
export async function continueTable(
  plan: TablePlan,
  content: TableContent,
  view: View,
): Promise<TablePlan> {
  const hidden = filledColumns(content).filter((column) => !plan.kept.includes(column));
  const more = {
    ...selectContent(content, plan.kept, plan.precision),
    alignRight: plan.content.alignRight,
  };
  const natural = await measureColumns(more, { ...view, headers: false });
  const wide = plan.widths.map((width, at) => Math.max(width, natural[at] ?? 0));
  const fits = !view.width || lineWidth(wide) <= view.width;
  const isText = (at: number) => (more.columns[at]?.kind ?? 'text') === 'text';
  const widths = fits
    ? wide
    : wide.map((width, at) => (isText(at) ? (plan.widths[at] ?? 0) : width));
  return { ...plan, hidden, content: more, widths };
}

/**
 * Yields ways to narrow a table, best first. Shortens times to days only after hiding columns was
 * not enough.
 */
function* narrowings(steps: readonly (readonly number[])[], columns: readonly Column[]) {
  const hasTimes = columns.some(({ kind }) => kind === 'time');
  for (const hidden of steps) {
    yield { hidden, precision: 'second' } as const;
    if (hasTimes) yield { hidden, precision: 'minute' } as const;
  }
  if (hasTimes) yield { hidden: steps.at(-1) ?? [], precision: 'day' } as const;
}

export function dropEmptyColumns(content: TableContent, view: View): TableContent {
  return view.fields ? content : selectContent(content, filledColumns(content), 'second');
}

function filledColumns({ columns, body }: TableContent): readonly number[] {
  return [...columns.keys()].filter((column) => body.some((row) => row[column] !== ''));
}

/**
 * Lists the columns to hide in each step. Each step hides one more, and at least one column
 * remains.
 */
function hidingSteps(
  columns: readonly Column[],
  filled: readonly number[],
): readonly (readonly number[])[] {
  const orderOf = (column: number) => columns[column]?.hideOrder ?? Number.POSITIVE_INFINITY;
  const hideable = filled.filter((column) => orderOf(column) < Number.POSITIVE_INFINITY);
  const sorted = hideable.sort((a, b) => orderOf(a) - orderOf(b)).slice(0, filled.length - 1);
  return sorted.map((_, last) => sorted.slice(0, last + 1));
}

function fitContent(content: TableContent, view: View, available: number) {
  const { columns, head, body, measure } = content;
  const natural = columnWidths(view.headers ? [head, ...body] : body, measure);
  if (lineWidth(natural) <= available) return { content, widths: natural };
  const words = head.map(
    (header) => header.split(' ').sort((a, b) => measure(b) - measure(a))[0] ?? '',
  );
  const widest = columnWidths([words, ...body], measure);
  const minimums = columns.map((column, at) =>
    Math.min(widest[at] ?? 0, minimumWidth(column, at, content)),
  );
  const widths = fitWidths(widest, minimums, available);
  return widths && !isMostlyTruncated(content, widths) ? { content, widths } : undefined;
}

/**
 * Always shrinks the widest column that exceeds its minimum. Returns `undefined` if the columns
 * cannot fit.
 */
function fitWidths(natural: readonly number[], minimums: readonly number[], available: number) {
  const widths = [...natural];
  for (let excess = lineWidth(widths) - available; excess > 0; excess--) {
    const shrinkable = widths.map((width, column) => (width > (minimums[column] ?? 0) ? width : 0));
    const widest = Math.max(0, ...shrinkable);
    if (widest === 0) return undefined;
    widths[shrinkable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

/** Minimum width of text, which must stay readable when it is wrapped. */
const MIN_TEXT_WIDTH = 10;
/** Maximum width of words to keep whole in a column that may be hidden: the width of a UUID. */
const MAX_WORD_WIDTH = 36;

function minimumWidth(
  { kind = 'text', hideOrder }: Column,
  at: number,
  { body, measure }: TableContent,
): number {
  if (kind !== 'text') return Number.POSITIVE_INFINITY;
  if (hideOrder === undefined) return MIN_TEXT_WIDTH;
  let longest = MIN_TEXT_WIDTH;
  for (const row of body)
    for (const word of wordsOf(row[at] ?? '')) longest = Math.max(longest, measure(word));
  return Math.min(longest, MAX_WORD_WIDTH);
}

/**
 * Whether text of a column that is never hidden would be truncated in more than half of the
 * records.
 */
function isMostlyTruncated(
  { body, columns, measure }: TableContent,
  widths: readonly number[],
): boolean {
  const isTruncated = (text: string, at: number) => {
    const { kind = 'text', hideOrder } = columns[at] ?? {};
    const width = widths[at] ?? 0;
    return (
      kind === 'text' &&
      hideOrder === undefined &&
      measure(text) > width &&
      losesText(text, width, measure)
    );
  };
  return body.filter((row) => row.some(isTruncated)).length * 2 > body.length;
}

function losesText(text: string, width: number, measure: TableContent['measure']): boolean {
  return (
    wrap(text, width, measure, MAX_CELL_LINES).join('').replaceAll(' ', '') !==
    text.replaceAll(' ', '')
  );
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** The cells of a table as text. */
export interface TableContent {
  readonly columns: readonly Column[];
  readonly head: readonly string[];
  readonly body: readonly (readonly string[])[];
  readonly measure: Measure;
  /** Whether each column is aligned right. */
  readonly alignRight: readonly boolean[];
}

export async function createContent(
  columns: readonly Column[],
  records: readonly unknown[],
  { display, pause }: View,
): Promise<TableContent> {
  const head = columns.map(({ header }) => formatCell(header, display));
  const body: (readonly string[])[] = [];
  for (const part of splitPage(records)) {
    for (const record of part)
      body.push(
        columns.map(({ field, kind }) => formatCell(fieldAt(record, field), display, kind)),
      );
    await pause?.();
  }
  // Numbers are aligned right.
  const alignRight = columns.map(
    ({ field, kind }) => display.isInteractive && kind !== 'time' && areNumbers(records, field),
  );
  return { columns, head, body, measure: await createMeasure([head, ...body]), alignRight };
}

function selectContent(
  content: TableContent,
  kept: readonly number[],
  precision: TimePrecision,
): TableContent {
  const pick = <Item>(row: readonly Item[]) =>
    kept.map((column) => row[column]).filter((item) => item !== undefined);
  const columns = pick(content.columns);
  const shorten = (text: string, column: number) =>
    columns[column]?.kind === 'time' ? shortenTime(text, precision) : text;
  return {
    columns,
    head: pick(content.head),
    body: content.body.map((row) => pick(row).map(shorten)),
    measure: content.measure,
    alignRight: pick(content.alignRight),
  };
}

async function measureColumns(
  { head, body, measure }: TableContent,
  { headers, pause }: View,
): Promise<readonly number[]> {
  let widths = columnWidths(headers ? [head] : [], measure);
  for (const part of splitPage(body)) {
    widths = columnWidths(part, measure, widths);
    await pause?.();
  }
  return widths;
}

function areNumbers(records: readonly unknown[], field: string): boolean {
  const values = records
    .map((record) => fieldAt(record, field))
    .filter((value) => value !== undefined && value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}
