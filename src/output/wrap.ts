import { UNICODE_GLYPHS } from './glyphs.ts';
import { isAscii, type Measure, truncateText } from './width.ts';

/**
 * Wraps a text to at maxLines `maxLines` lines of `width` columns, between words where possible. Spaces at line breaks are
 * dropped. An ellipsis replaces the text after the last line.
 */
export function wrap(
  text: string,
  width: number,
  measure: Measure,
  maxLines: number,
  ellipsis = UNICODE_GLYPHS.ellipsis,
): string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < maxLines - 1 && measure(rest) > width) {
    const fits = fittingLength(rest, width, measure);
    const end = lastWordEnd(rest, fits) ?? lastPartEnd(rest, fits) ?? fits;
    lines.push(rest.slice(0, end).replace(/ +$/, ''));
    rest = rest.slice(end).replace(/^ +/, '');
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, truncateText(rest, width, measure, ellipsis)];
}

/**
 * Wraps a text to any number of lines without splitting words, so that a value can be copied even if it is wider than a
 * line. In prose, scripts without spaces are broken between any two characters.
 */
export function wrapWords(text: string, width: number, measure: Measure, isProse = false): string[] {
  const lines: string[] = [];
  let rest = text;
  while (measure(rest) > width) {
    const fits = fittingLength(rest, width, measure);
    const next = rest.indexOf(' ', fits);
    const otherwise = isProse && isSpaceless(rest, fits) ? fits : next < 0 ? rest.length : next;
    const end = lastWordEnd(rest, fits) ?? otherwise;
    lines.push(rest.slice(0, end).replace(/ +$/, ''));
    rest = rest.slice(end).replace(/^ +/, '');
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

const SPACELESS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]{2}/u;

/** Whether the characters before and after a position belong to a script without spaces. */
function isSpaceless(text: string, at: number): boolean {
  const before = [...text.slice(0, at)].at(-1) ?? '';
  return SPACELESS.test(before + text.slice(at));
}

/** The end of the last word within the first `fits` characters; `undefined` if not found. */
function lastWordEnd(text: string, fits: number): number | undefined {
  const space = text.lastIndexOf(' ', fits);
  return text.slice(0, Math.max(0, space)).trim() === '' ? undefined : space;
}

/** The end of the last part of a path, URL, or compound name, unless half of the line would stay empty. */
function lastPartEnd(text: string, fits: number): number | undefined {
  const [part = ''] = /^.*[/.,:;&?=_-]/.exec(text.slice(0, fits)) ?? [];
  return part.length * 2 > fits ? part.length : undefined;
}

/** The length of the prefix that fits, at least one grapheme. */
function fittingLength(text: string, width: number, measure: Measure): number {
  if (isAscii(text)) return Math.max(1, width);
  let length = 0;
  let available = width;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    available -= measure(segment);
    if (available < 0) return length || segment.length;
    length += segment.length;
  }
  return length;
}
