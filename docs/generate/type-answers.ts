import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';

export interface TerminalCommand {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
}

/** Ends the command in place of an answer, as `kill -9` does. */
export const KILL = Symbol('kill -9');

/** The text of a question, and the keys to type once the command shows it. */
export type Answer = readonly [question: string, keys: string | typeof KILL];

/** Time limit for the next question, or for the end of the command, in milliseconds. */
const TIMEOUT = 30_000;
const ROWS = 60;

/**
 * Runs a command in a terminal, and types each answer when its question appears after the previous
 * answer. A pause in the output does not mean that the command waits: on a busy machine, an answer
 * typed too early is lost.
 * @returns everything that the command wrote
 * @throws Error with the output if a question does not appear, or if the command does not end,
 * within the timeout
 */
export async function typeAnswers(
  { program, words, cwd, env, columns }: TerminalCommand,
  answers: readonly Answer[],
  timeout = TIMEOUT,
): Promise<string> {
  const child = spawn(program, [...words], { cwd, env, cols: columns, rows: ROWS });
  let written = '';
  let answered = 0;
  let next = 0;
  let progress = Promise.withResolvers<void>();
  const advance = () => {
    progress.resolve();
    progress = Promise.withResolvers();
  };
  const typeNext = () => {
    const [question, keys] = answers[next] ?? [];
    if (question === undefined || keys === undefined) return;
    if (!toPlainText(written.slice(answered)).includes(question)) return;
    answered = written.length;
    next += 1;
    if (keys === KILL) child.kill('SIGKILL');
    else child.write(keys);
    advance();
  };
  child.onData((data) => {
    written += data;
    typeNext();
  });
  const ended = new Promise<'ended'>((resolve) => child.onExit(() => resolve('ended')));
  const stopped = new AbortController();
  try {
    for (;;) {
      const pause = sleep(timeout, 'late' as const, { signal: stopped.signal }).catch(
        () => 'ended' as const,
      );
      const state = await Promise.race([ended, pause, progress.promise]);
      if (state === 'late') break;
      if (state === 'ended' && next < answers.length) break;
      if (state === 'ended') return written;
    }
  } finally {
    stopped.abort();
    child.kill('SIGKILL');
  }
  const [question] = answers[next] ?? [];
  const missing = question === undefined ? 'the end of the command' : `the question '${question}'`;
  throw new Error(`${words.join(' ')}: ${missing} did not come:\n${toPlainText(written)}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is removed
const CONTROL_SEQUENCES = /\u001b(\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|[=>78])/g;

/** Returns the text on the screen in one line, as a question may be wrapped. */
function toPlainText(written: string): string {
  return written.replace(CONTROL_SEQUENCES, '').replace(/\s+/g, ' ');
}
