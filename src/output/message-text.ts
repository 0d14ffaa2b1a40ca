import { commandLineOf, Hint } from '../kernel/errors.ts';
import type { Sink } from '../kernel/io.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import { createMeasure, type Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

/** `debug`: a line about a request, only with `--debug`. */
export type MessageLevel = 'info' | 'warning' | 'debug';

/** Formats a message as a line of JSON, before the line of an error. Empty without a text. */
export function formatJsonMessage(level: MessageLevel, message: string | Hint): string {
  const text = message instanceof Hint ? message.format() : message;
  if (text === '') return '';
  return `${escapeJsonForTerminal(JSON.stringify({ note: { level, message: text } }))}\n`;
}

type LineTarget = { readonly [Name in 'columns' | 'breakCommands']?: Sink[Name] | undefined };

/** Formats a message as lines that fit the terminal; on one line for any other output. */
export async function formatMessage(
  message: string | Hint,
  { columns, breakCommands = (text) => text }: LineTarget,
) {
  const parts = (message instanceof Hint ? message.parts : [message]).map(
    (part): MessagePart =>
      typeof part === 'string'
        ? escapeForTerminal(part)
        : { command: escapeForTerminal(commandLineOf(part)) },
  );
  const text = parts.map((part) => (typeof part === 'string' ? part : part.command)).join('');
  // Wide characters take two columns.
  if (!columns || text.length * 2 <= columns) return breakCommands(`${text}\n`);
  return breakCommands(`${await wrapMessage(parts, columns)}\n`);
}

type MessagePart = string | { readonly command: string };
const GLUE = '\ue001';

/**
 * Wraps between words. Splits a command at ` \` if it is longer than a line. Returns an indented
 * message unchanged.
 */
export async function wrapMessage(parts: readonly MessagePart[], width: number): Promise<string> {
  const whole = parts.map((part) => (typeof part === 'string' ? part : part.command)).join('');
  const measure = await createMeasure([[whole]]);
  if (whole.startsWith(' ') || measure(whole) <= width) return whole;
  const lines: string[] = [];
  let text = '';
  const endText = () => {
    if (text.trim() !== '') lines.push(...wrapWords(text.trim(), width, measure, true));
    text = '';
  };
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else if (measure(part.command) <= width) text += part.command.replaceAll(' ', GLUE);
    else {
      endText();
      lines.push(...wrapCommand(part.command, width, measure));
    }
  }
  endText();
  return lines.join('\n').replaceAll(GLUE, ' ');
}

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
