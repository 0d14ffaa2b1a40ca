import type { Column } from '../catalog/define.ts';

/** How far a column of each kind may shrink: text while it can still be read in lines, a time to its day, an id not at all. */
const LEAST = {
  text: 10,
  state: Number.POSITIVE_INFINITY,
  time: 11,
  whole: Number.POSITIVE_INFINITY,
} as const satisfies Record<NonNullable<Column['kind']>, number>;

/**
 * Column widths that fit a line of `room` columns: the widest column gives first, times after everything else.
 * `undefined` when none can give any more and it is still too wide.
 */
export function fitWidths(
  natural: readonly number[],
  columns: readonly Column[],
  room: number,
  gap: number,
): number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - room;
  for (; excess > 0; excess--) {
    const widest = widestThatGives(widths, columns, 'text') ?? widestThatGives(widths, columns, 'time');
    if (widest === undefined) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function widestThatGives(
  widths: readonly number[],
  columns: readonly Column[],
  asked: NonNullable<Column['kind']>,
): number | undefined {
  let widest: number | undefined;
  for (const [column, width] of widths.entries()) {
    const kind = columns[column]?.kind ?? 'text';
    const gives = kind === asked && width > LEAST[kind];
    if (gives && (widest === undefined || width > (widths[widest] ?? 0))) widest = column;
  }
  return widest;
}

/** The columns that a text takes on a terminal. */
export type Measure = (text: string) => number;

/**
 * The measure for these texts. ASCII is as wide as it is long; only for more than that is string-width loaded, whose
 * Unicode tables cost a third of the start of a command.
 */
export async function measureFor(rows: readonly (readonly string[])[]): Promise<Measure> {
  if (rows.every((row) => row.every(isAscii))) return (text) => text.length;
  return (await import('string-width')).default;
}

export function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

/**
 * Text of at most `width` columns, its end given up for an ellipsis, each character of which takes a column. What a reader sees
 * as one character stays one.
 */
export function cut(text: string, width: number, measure: Measure, ellipsis: string): string {
  if (measure(text) <= width) return text;
  let room = Math.max(0, width - ellipsis.length);
  if (isAscii(text)) return `${text.slice(0, room)}${ellipsis}`.slice(0, width);
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measure(segment);
    if (room < 0) break;
    kept += segment;
  }
  return kept + ellipsis.slice(0, width);
}
