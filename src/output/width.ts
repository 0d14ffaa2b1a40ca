import stringWidth from 'string-width';
import type { Column } from '../catalog/define.ts';

/** How far a column of each kind may shrink: a time to its day, an id not at all. */
const LEAST = { text: 6, time: 11, whole: Number.POSITIVE_INFINITY } as const satisfies Record<
  NonNullable<Column['kind']>,
  number
>;

/** Column widths that fit a line of `room` columns: the widest column gives first, until none can. */
export function fitWidths(natural: readonly number[], columns: readonly Column[], room: number, gap: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + gap, -gap) - room;
  for (; excess > 0; excess--) {
    const widest = widestThatGives(widths, columns);
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function widestThatGives(widths: readonly number[], columns: readonly Column[]): number | undefined {
  let widest: number | undefined;
  for (const [column, width] of widths.entries()) {
    const gives = width > LEAST[columns[column]?.kind ?? 'text'];
    if (gives && (widest === undefined || width > (widths[widest] ?? 0))) widest = column;
  }
  return widest;
}

/** Text of at most `width` columns, its end given up for an ellipsis. What a reader sees as one character stays one. */
export function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let room = width - 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= stringWidth(segment);
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}
