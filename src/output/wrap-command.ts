import type { Measure } from './width.ts';

/** Spaces before a command, and before its continuation lines. */
const [INDENT, CONTINUATION_INDENT] = ['  ', '    '];

/**
 * Wraps a POSIX command line with ` \`, between words only. Keeps flags next to their values if
 * both fit.
 */
export function wrapCommand(command: string, width: number, measure: Measure): readonly string[] {
  const fits = (indent: string, text: string) => measure(indent + text) + ' \\'.length <= width;
  const lines: string[] = [];
  let line = '';
  for (const part of joinFlags(splitWords(command))) {
    const pieces = fits(CONTINUATION_INDENT, part) ? [part] : splitWords(part);
    for (const piece of pieces) {
      const indent = lines.length === 0 ? INDENT : CONTINUATION_INDENT;
      if (line === '' || fits(indent, `${line} ${piece}`))
        line = line === '' ? piece : `${line} ${piece}`;
      else {
        lines.push(`${indent}${line} \\`);
        line = piece;
      }
    }
  }
  return [...lines, `${lines.length === 0 ? INDENT : CONTINUATION_INDENT}${line}`];
}

function splitWords(command: string): readonly string[] {
  return command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|\S)+/gs) ?? [];
}

const JOINS_NEXT = /^(?:-.|[|<>&])/;

/**
 * Joins each flag with the word after it, which may be its value, and each operator with its
 * operand.
 */
function joinFlags(words: readonly string[]): readonly string[] {
  const parts: string[] = [];
  let canJoin = false;
  for (const word of words) {
    const joinsNext = JOINS_NEXT.test(word);
    if (canJoin && !joinsNext) parts[parts.length - 1] = `${parts.at(-1)} ${word}`;
    else parts.push(word);
    canJoin = joinsNext;
  }
  return parts;
}
