import { once } from '../kernel/once.ts';

export type Measure = (text: string) => number;

/**
 * Letters, punctuation, arrows, and boxes that take one column whatever their neighbors are: Latin,
 * Greek, Cyrillic, Armenian, Hebrew, and Arabic without combining marks.
 */
const NARROW = String.raw` -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2319\u2500-\u259f\u2713-\u2718`;
/** Chinese, Japanese, and Korean characters that take two columns whatever their neighbors are. */
const WIDE = String.raw`\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;
const WIDE_CHARACTERS = new RegExp(`[${WIDE}]`, 'g');
/** Blocks with emoji of one character, which is two UTF-16 code units long and two columns wide. */
const EMOJI_BLOCKS = String.raw`\u{1f300}-\u{1faff}`;
/** Matches a character that may combine with its neighbors, or whose width is not known here. */
const VARIABLE = new RegExp(
  String.raw`[^${NARROW}${WIDE}${EMOJI_BLOCKS}]|\p{Emoji_Modifier}|(?=[${EMOJI_BLOCKS}])\P{Emoji_Presentation}`,
  'u',
);
/**
 * Scripts with combining marks: accents, Hebrew points, Arabic vowels, and the scripts of South and
 * Southeast Asia. Without signs that join the characters after them.
 */
const MARKED = String.raw`\u0300-\u052f\u0591-\u05ff\u0610-\u061a\u0620-\u06dc\u06de-\u06ff\u0750-\u077f\u0900-\u109f\u1200-\u139f\u1780-\u17ff\u200c`;
const OTHER_THAN_MARKED = new RegExp(`[^${NARROW}${MARKED}]`);

/**
 * Loads string-width only for emoji of several characters and rare scripts, because its Unicode
 * tables take as long to load as a command takes without them.
 */
export async function createMeasure(rows: readonly (readonly string[])[]): Promise<Measure> {
  if (rows.every((row) => row.every(isAscii))) return (text) => text.length;
  if (rows.every((row) => row.every(isFixed))) return measureFixed;
  if (rows.every((row) => row.every((text) => isFixed(text) || isMarked(text))))
    return measureMarked;
  return (await import('string-width')).default;
}

/** Whether each character is a grapheme of a known width. */
function isFixed(text: string): boolean {
  return !VARIABLE.test(text);
}

function measureFixed(text: string): number {
  return text.length + (text.match(WIDE_CHARACTERS)?.length ?? 0);
}

function isMarked(text: string): boolean {
  return !OTHER_THAN_MARKED.test(text);
}

/** Counts marks that are drawn over their neighbors, and the non-joiner, as no column. */
function measureMarked(text: string): number {
  return measureFixed(text) - (text.match(/[\p{Mn}\p{Me}\u200c]/gu)?.length ?? 0);
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

/** Avoids the segmenter, because the first one of a process is slow to create. */
function* graphemesOf(text: string): Generator<string> {
  if (isFixed(text)) yield* text;
  else for (const { segment } of getSegmenter().segment(text)) yield segment;
}

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
  for (const grapheme of graphemesOf(text)) {
    available -= measure(grapheme);
    if (available < 0 && length >= minimum) break;
    length += grapheme.length;
  }
  return length;
}
