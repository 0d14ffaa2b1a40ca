import { commandLineOf, Hint } from '../kernel/errors.ts';
import type { Sink } from '../kernel/io.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { MessagePart } from './wrap-message.ts';
import { wrapMessage } from './wrap-message.ts';

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
