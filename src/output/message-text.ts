import { commandLineOf, Hint } from '../kernel/errors.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import type { MessagePart } from './wrap-message.ts';

/** Formats a message as lines that fit the terminal; on one line for any other output. */
export async function formatMessage(
  message: string | Hint,
  { columns }: { readonly columns?: number | undefined },
) {
  const parts = (message instanceof Hint ? message.parts : [message]).map(
    (part): MessagePart =>
      typeof part === 'string'
        ? escapeForTerminal(part)
        : { command: escapeForTerminal(commandLineOf(part)) },
  );
  const text = parts.map((part) => (typeof part === 'string' ? part : part.command)).join('');
  // Wide characters take two columns.
  if (!columns || text.length * 2 <= columns) return `${text}\n`;
  return `${await (await import('./wrap-message.ts')).wrapMessage(parts, columns)}\n`;
}
