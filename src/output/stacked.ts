import type { Paint } from './paint.ts';
import type { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

type Row = readonly string[];

export interface Stack {
  readonly measure: Measure;
  readonly room: number;
  readonly gap: string;
  /** Names that a stack beside this one has, to be aligned with it. */
  readonly names?: readonly string[];
  /** Whether the value of a row is a text to read, and nothing to copy. */
  readonly isProse?: (row: number) => boolean;
  /** For the names. */
  readonly paint?: Paint;
}

/** Below this a value is better left to the terminal than wrapped. */
const LEAST_ROOM = 12;

/**
 * Names and values below each other, the values aligned. A value is wrapped between words and never cut. Where the
 * lines would be too long, long names have lines of their own, so that they don't push all values aside.
 */
export function* stacked(rows: readonly Row[], stack: Stack) {
  const { measure, room, gap, names = [], paint = (same) => same, isProse = () => false } = stack;
  const all = [...rows, ...names.map((name) => [name])];
  const margin = marginOf(all, measure, room - gap.length) + gap.length;
  const width = room - margin;
  const indent = ' '.repeat(margin);
  for (const [index, [name = '', value = '']] of rows.entries()) {
    const lines = width < LEAST_ROOM ? [value] : wrapWords(value, width, measure, isProse(index));
    const free = margin - measure(name);
    const [first = '', ...more] = free < gap.length && value !== '' ? ['', ...lines] : lines;
    yield `${paint(name)}${first && ' '.repeat(free)}${first}\n`;
    for (const line of more) yield `${indent}${line}\n`;
  }
}

/** The width of the widest name, of those that leave two thirds of the room where not all of them can stay in their lines. */
function marginOf(rows: readonly Row[], measure: Measure, room: number): number {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(measure));
  const names = rows.map(([name = '']) => name);
  const values = rows.map(([, value = '']) => value);
  if (widest(names) + widest(values) <= room) return widest(names);
  return widest(names.filter((name) => measure(name) * 3 <= room)) || 2;
}
