import type { Measure } from './width.ts';

/** Spaces before a command, and before its continuation lines. */
const [INDENT, CONTINUATION_INDENT] = ['  ', '    '];

/**
 * Wraps a POSIX command line to indented lines that end with ` \`, so that all of them can be pasted at once. Breaks only
 * between words, preferably before flags and operators of the shell. A word that is wider than a line is not split.
 */
export function wrapCommand(command: string, width: number, measure: Measure): readonly string[] {
  const fits = (indent: string, text: string) => measure(indent + text) + ' \\'.length <= width;
  const lines: string[] = [];
  let line = '';
  for (const part of splitAtFlags(splitWords(command))) {
    const pieces = fits(CONTINUATION_INDENT, part) ? [part] : splitWords(part);
    for (const piece of pieces) {
      const indent = lines.length === 0 ? INDENT : CONTINUATION_INDENT;
      if (line === '' || fits(indent, `${line} ${piece}`)) line = line === '' ? piece : `${line} ${piece}`;
      else {
        lines.push(`${indent}${line} \\`);
        line = piece;
      }
    }
  }
  return [...lines, `${lines.length === 0 ? INDENT : CONTINUATION_INDENT}${line}`];
}

/** Splits a command line at unquoted spaces. Quotes and escapes stay part of the words. */
function splitWords(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\S)+/gs) ?? [];
}

/** Joins each flag and each operator of the shell with the words after it, and the words before the first of them. */
function splitAtFlags(words: readonly string[]): readonly string[] {
  const parts: string[] = [];
  for (const word of words) {
    const last = parts.at(-1);
    if (last === undefined || /^(-.|[|<>&])/.test(word)) parts.push(word);
    else parts[parts.length - 1] = `${last} ${word}`;
  }
  return parts;
}
