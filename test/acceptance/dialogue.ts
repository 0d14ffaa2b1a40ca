import { onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { screenOf } from './screen.ts';
import { terminal } from './terminal.ts';

/** A command that asks, in a real terminal, and somebody who reads before typing. */
export interface Dialogue {
  /** Waits until the screen shows a question that was not answered, or a text below it, then types. */
  answer(question: string, keys: string): Promise<void>;
  shows(text: string): Promise<void>;
  type(keys: string): void;
  /** What the screen shows, as wide as the terminal or as wide as said. */
  text(columns?: number): string;
  /** What was written is lines of text, coloured at most. */
  movesCursor(): boolean;
  raw(): string;
  readonly ended: Promise<number>;
}

export function dialogue(words: readonly string[], env: Readonly<Record<string, string>>, columns = 100): Dialogue {
  const { type, raw, ended, screen, kill } = terminal(words, env, columns);
  onTestFinished(kill);
  let [read, answered, last] = [0, 0, ''];
  let end: number | undefined;
  void ended.then((code) => {
    end = code;
  });
  const text = (width = columns) => screenOf(raw(), width).join('\n');
  const seen = () => withoutSpace(screen());
  const wait = (wanted: string, holds: (wanted: string) => boolean) =>
    eventually(() => {
      if (holds(withoutSpace(wanted))) return;
      throw new Error(`${end === undefined ? '' : `ended with ${end}; `}it does not show '${wanted}':\n${text()}`);
    }, 10);
  return {
    answer: async (question, keys) => {
      // The same question again is another one once the first is marked as answered.
      const isNew = () => question !== last || answersIn(seen()) > answered;
      await wait(question, (wanted) => seen().indexOf(wanted, read) >= 0 && isNew());
      [read, answered, last] = [seen().length, answersIn(seen()), question];
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

/** Lines break where the terminal ends, so they are compared without. */
function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

function answersIn(text: string): number {
  return text.split('✔').length;
}
