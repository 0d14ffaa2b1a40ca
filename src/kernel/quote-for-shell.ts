import { escapeForTerminal } from './safe-text.ts';

/**
 * Quotes a word of a command line to paste. Characters that a terminal cannot show are escapes in
 * `$'…'`, which bash, zsh, and ksh understand.
 */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (escapeForTerminal(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${Array.from(text, escapeForShell).join('')}'`;
}

function escapeForShell(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  if (escapeForTerminal(character) === character) return character;
  // Unlike `\u`, bytes do not depend on the locale of the shell.
  return Array.from(
    Buffer.from(character),
    (byte) => `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('');
}
