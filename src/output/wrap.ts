import { once } from '../kernel/once.ts';
import { UNICODE_GLYPHS } from './glyphs.ts';
import { fitsWidth, isAscii, type Measure, prefixLength, truncateText } from './width.ts';

const DEFAULT_ELLIPSIS = UNICODE_GLYPHS.ellipsis;

/**
 * Wraps between words, to at most `maxLines` lines. An ellipsis replaces the rest of the text, and
 * of overlong words.
 */
export function wrap(
  text: string,
  width: number,
  measure: Measure,
  maxLines: number,
  ellipsis = DEFAULT_ELLIPSIS,
) {
  const lines = wrapWords(text, width, measure, true, maxLines);
  return lines.map((line) => truncateText(line, width, measure, ellipsis));
}

/**
 * Wraps text between words, so that values can be copied. In prose, scripts without spaces break
 * between any two characters.
 */
export function wrapWords(
  text: string,
  width: number,
  measure: Measure,
  isProse = false,
  maxLines = Infinity,
) {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < maxLines - 1 && !fitsWidth(rest, width, measure)) {
    const [line, after] = splitLine(rest, width, measure, isProse);
    lines.push(line);
    rest = after;
  }
  return rest === '' && lines.length > 0 ? lines : [...lines, rest];
}

/**
 * Splits a text that is wider than a line: after the last word that fits, or after the first word
 * if that is too wide.
 */
function splitLine(
  text: string,
  width: number,
  measure: Measure,
  isProse: boolean,
): [line: string, rest: string] {
  const maxLength = prefixLength(text, width, measure, 1);
  const space = Math.max(0, text.lastIndexOf(' ', maxLength));
  const wordEnd = text.slice(0, space).trim() === '' ? 0 : space;
  const end = Math.max(wordEnd, isProse ? lastSpacelessBreak(text, maxLength) : 0);
  // Drops an indent that leaves no room for the first word.
  const indented = end === 0 ? text.replace(/^ +/, '') : text;
  if (indented !== text)
    return fitsWidth(indented, width, measure)
      ? [indented, '']
      : splitLine(indented, width, measure, isProse);
  const nextSpace = text.indexOf(' ', maxLength);
  const at = end || (nextSpace < 0 ? text.length : nextSpace);
  return [text.slice(0, at).replace(/ +$/, ''), text.slice(at).replace(/^ +/, '')];
}

/** Matches a character of a script that writes words without spaces between them. */
const SPACELESS = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff60]`;
/**
 * Matches the positions before and after characters in `SPACELESS`, but not before a combining
 * mark. Compiled on first use, because it takes 3 % of the time of help.
 */
const spacelessBreaks = once(
  () => new RegExp(`(?<=${SPACELESS}\\p{M}*)(?!\\p{M})|(?=${SPACELESS})`, 'gu'),
);
const wordBreaks = once(() => new RegExp(` |${SPACELESS}`, 'u'));

export function wordsOf(text: string): readonly string[] {
  return text.split(wordBreaks());
}

/**
 * Finds the last position, up to `maxLength`, next to a character of a script without spaces; 0 if
 * not found.
 */
function lastSpacelessBreak(text: string, maxLength: number): number {
  if (isAscii(text)) return 0;
  const positions = text.slice(0, maxLength + 2).matchAll(spacelessBreaks());
  return Math.max(
    0,
    ...Array.from(positions, ({ index }) => index).filter((index) => index <= maxLength),
  );
}
