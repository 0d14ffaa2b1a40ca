import { onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { renderScreen } from './screen.ts';
import { startTerminal, type Terminal } from './terminal.ts';
import { startTerminalInProcess } from './terminal-in-process.ts';

/** A command with prompts in a real terminal, and a user who reads before typing. */
export interface Dialogue {
  /** Waits until the screen shows an open prompt, or text below it, and then types. */
  answer(question: string, keys: string): Promise<void>;
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** Returns the content of the screen with the terminal's or the given width. */
  text(columns?: number): string;
  /** Asserts that the output is lines of text, with colors at most. */
  movesCursor(): boolean;
  raw(): string;
  readonly ended: Promise<number>;
}

export function startDialogue(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns = 100,
): Dialogue {
  return createDialogue(startTerminal(words, env, columns), columns);
}

/**
 * Starts a dialogue with a command in this process. For plain prompts and signals, it needs a real
 * terminal.
 */
export function startDialogueInProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns = 100,
) {
  return createDialogue(startTerminalInProcess(words, env, columns), columns);
}

function createDialogue({ type, raw, ended, screen, kill }: Terminal, columns: number): Dialogue {
  onTestFinished(kill);
  let [read, answered, last] = [0, 0, ''];
  let end: number | undefined;
  void ended.then((code) => {
    end = code;
  });
  const text = (width = columns) => renderScreen(raw(), width).join('\n');
  const seen = () => removeWhitespace(screen());
  const wait = (wanted: string, holds: (wanted: string) => boolean) =>
    eventually(() => {
      if (!holds(removeWhitespace(wanted))) throw new Error(`it does not show '${wanted}'`);
    }, 10).catch(({ message }) => {
      throw new Error(`${end === undefined ? '' : `ended with ${end}; `}${message}:\n${text()}`);
    });
  return {
    answer: async (question, keys) => {
      // After a prompt is marked as answered, the same text is a new prompt.
      const isNew = () => question !== last || countAnswers(seen()) > answered;
      await wait(question, (wanted) => seen().indexOf(wanted, read) >= 0 && isNew());
      [read, answered, last] = [seen().length, countAnswers(seen()), question];
      type(keys);
    },
    shows: (wanted) => wait(wanted, (words) => seen().includes(words)),
    type,
    text,
    movesCursor: () => /\[[0-9;?]*[A-Za-ln-z]|\r(?!\n)/.test(raw().split('\u001b').join('')),
    raw,
    ended,
  };
}

/** The terminal wraps lines, so comparisons ignore line breaks. */
function removeWhitespace(text: string): string {
  return text.replace(/\s/g, '');
}

function countAnswers(text: string): number {
  return text.split('✔').length;
}
