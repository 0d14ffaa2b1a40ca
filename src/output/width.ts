import { once } from '../kernel/once.ts';

export type Measure = (text: string) => number;

/**
 * Loads string-width only for non-ASCII text, because its Unicode tables take a third of a
 * command's start-up time.
 */
export async function createMeasure(rows: readonly (readonly string[])[]): Promise<Measure> {
  if (rows.every((row) => row.every(isAscii))) return (text) => text.length;
  return (await import('string-width')).default;
}

export function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

/** Texts with more UTF-16 code units per column rarely fit. */
const MAX_UNITS_PER_COLUMN = 2;

/**
 * Returns whether a text is at most `width` columns wide. Measures only the start of a text that is
 * far too long, because emoji take microseconds each.
 */
export function fitsWidth(text: string, width: number, measure: Measure): boolean {
  if (!Number.isFinite(width)) return true;
  if (text.length <= width * MAX_UNITS_PER_COLUMN) return measure(text) <= width;
  return prefixLength(text, width, measure) >= text.length;
}

/** Truncates a text to `width` columns, the ellipsis included. Never splits a grapheme. */
export function truncateText(
  text: string,
  width: number,
  measure: Measure,
  ellipsis: string,
): string {
  if (fitsWidth(text, width, measure)) return text;
  const available = Math.max(0, width - ellipsis.length);
  return text.slice(0, prefixLength(text, available, measure)) + ellipsis.slice(0, width);
}

const getSegmenter = once(() => new Intl.Segmenter());

/**
 * Returns the length of the longest prefix of whole graphemes that fits; at least one grapheme if
 * `minimum` is 1.
 */
export function prefixLength(
  text: string,
  width: number,
  measure: Measure,
  minimum: 0 | 1 = 0,
): number {
  if (isAscii(text)) return Math.max(minimum, width);
  let [length, available] = [0, width];
  for (const { segment } of getSegmenter().segment(text)) {
    available -= measure(segment);
    if (available < 0 && length >= minimum) break;
    length += segment.length;
  }
  return length;
}
