import { escapeForTerminal } from '../kernel/safe-text.ts';

/** Command lines to run next, by what they do. */
export type NextCommands = Readonly<Record<string, string>>;

export function renderNext(next: NextCommands): string {
  return Object.entries(next)
    .map(([purpose, command]) => escapeForTerminal(`${purpose}: ${command}`))
    .map((line) => `${line}\n`)
    .join('');
}
