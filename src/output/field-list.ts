import type { Style } from './palette.ts';
import type { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

type Row = readonly string[];

export interface FieldListOptions {
  readonly measure: Measure;
  readonly width: number;
  readonly gap: string;
  readonly names?: readonly string[];
  /** Whether the value of a row is prose, as opposed to a value to copy. */
  readonly isProse?: (row: number) => boolean;
  readonly style?: Style;
}

/** Minimum width for wrapping. The terminal wraps narrower values. */
const MIN_VALUE_WIDTH = 12;

/**
 * Renders one pair per line, with aligned values, which are wrapped between words and never
 * truncated.
 */
export function* renderFieldList(rows: readonly Row[], options: FieldListOptions) {
  const {
    measure,
    width,
    gap,
    names = [],
    style = (same) => same,
    isProse = () => false,
  } = options;
  // Names without values do not affect the alignment.
  const all = [...rows.filter(([, value]) => value !== ''), ...names.map((name) => [name])];
  const margin = nameColumnWidth(all, measure, width - gap.length) + gap.length;
  const valueWidth = width - margin;
  const indent = ' '.repeat(margin);
  for (const [index, [name = '', value = '']] of rows.entries()) {
    const lines =
      valueWidth < MIN_VALUE_WIDTH
        ? [value]
        : wrapWords(value, valueWidth, measure, isProse(index));
    const free = margin - measure(name);
    const [first = '', ...more] = free < gap.length && value !== '' ? ['', ...lines] : lines;
    yield `${style(name)}${first && ' '.repeat(free)}${first}\n`;
    for (const line of more) yield `${indent}${line}\n`;
  }
}

/**
 * Computes the width of the widest name. If lines would be too long, ignores names wider than a
 * third of the width.
 */
function nameColumnWidth(rows: readonly Row[], measure: Measure, width: number): number {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(measure));
  const names = rows.map(([name = '']) => name);
  const values = rows.map(([, value = '']) => value);
  if (widest(names) + widest(values) <= width) return widest(names);
  return widest(names.filter((name) => measure(name) * 3 <= width)) || 2;
}
