import { DRAWN } from './signs.ts';
import { cut, isAscii, type Measure } from './width.ts';

/**
 * A text as at most `most` lines of at most `width` columns, broken between words, whose spaces are given up there, and,
 * where a word alone is wider, inside of it. What is left after the last line is given up for an ellipsis.
 */
export function wrap(text: string, width: number, measure: Measure, most: number, ellipsis = DRAWN.ellipsis): string[] {
  const lines: string[] = [];
  let rest = text;
  while (lines.length < most - 1 && measure(rest) > width) {
    const fits = lengthThatFits(rest, width, measure);
    const end = endOfWords(rest, fits) ?? endOfPart(rest, fits) ?? fits;
    lines.push(rest.slice(0, end).replace(/ +$/, ''));
    rest = rest.slice(end).replace(/^ +/, '');
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, cut(rest, width, measure, ellipsis)];
}

/**
 * The same in as many lines as it takes, and with every word whole, be it wider than a line: it may be copied. In prose,
 * scripts that are written without spaces are broken between any two characters.
 */
export function wrapWords(text: string, width: number, measure: Measure, isProse = false): string[] {
  const lines: string[] = [];
  let rest = text;
  while (measure(rest) > width) {
    const fits = lengthThatFits(rest, width, measure);
    const next = rest.indexOf(' ', fits);
    const otherwise = isProse && isSpaceless(rest, fits) ? fits : next < 0 ? rest.length : next;
    const end = endOfWords(rest, fits) ?? otherwise;
    lines.push(rest.slice(0, end).replace(/ +$/, ''));
    rest = rest.slice(end).replace(/^ +/, '');
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

const SPACELESS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]{2}/u;

/** Whether both characters beside a place are of a script without spaces. */
function isSpaceless(text: string, at: number): boolean {
  const before = [...text.slice(0, at)].at(-1) ?? '';
  return SPACELESS.test(before + text.slice(at));
}

/** The end of the last word that ends within the first `fits` characters; `undefined` where none does. */
function endOfWords(text: string, fits: number): number | undefined {
  const space = text.lastIndexOf(' ', fits);
  return text.slice(0, Math.max(0, space)).trim() === '' ? undefined : space;
}

/** The end of the last part of a path, an address or a name made of parts, unless that leaves half of the line empty. */
function endOfPart(text: string, fits: number): number | undefined {
  const [part = ''] = /^.*[/.,:;&?=_-]/.exec(text.slice(0, fits)) ?? [];
  return part.length * 2 > fits ? part.length : undefined;
}

/** How much of a text that is too wide fits: at least what a reader sees as its first character. */
function lengthThatFits(text: string, width: number, measure: Measure): number {
  if (isAscii(text)) return Math.max(1, width);
  let length = 0;
  let room = width;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    room -= measure(segment);
    if (room < 0) return length || segment.length;
    length += segment.length;
  }
  return length;
}
