import { spawn } from '@lydell/node-pty';
import { BIN } from './svc.ts';

/** `svc` in a real terminal, as a person would use it: wait for what it shows, then type. */
export interface Terminal {
  /** Resolves once the screen has shown the text; rejects, with all that was shown, when the program ends before. */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number>;
  /** All that was written so far, control sequences left out. */
  screen(): string;
  /** The same with them. */
  raw(): string;
  /** Ends the program and what it has started, if it still runs. */
  kill(): void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is left out
const CONTROL_SEQUENCES = /\u001b(\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|[=>78])/g;

export function terminal(words: readonly string[], env: Readonly<Record<string, string>>, columns = 100): Terminal {
  return programInTerminal(process.execPath, [BIN, ...words], { env, columns });
}

/** Any program in a terminal: a shell, say, whose completion is tried. */
export function programInTerminal(
  program: string,
  words: readonly string[],
  { env, columns = 100, cwd }: { env: Readonly<Record<string, string>>; columns?: number; cwd?: string },
): Terminal {
  const child = spawn(program, [...words], {
    env: { ...env, TERM: 'xterm-256color' },
    cols: columns,
    rows: 30,
    ...(cwd && { cwd }),
  });
  let shown = '';
  let check = () => {};
  const screen = () => shown.replace(CONTROL_SEQUENCES, '');
  child.onData((text) => {
    shown += text;
    check();
  });
  const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  return {
    screen,
    raw: () => shown,
    kill: () => {
      // In a terminal of its own, the program leads a group: whoever is left in it would keep the terminal open.
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    },
    ended,
    type: (keys) => child.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (screen().includes(text)) resolve();
        };
        check();
        void ended.then((code) => reject(new Error(`ended with ${code} before it showed '${text}':\n${screen()}`)));
      }),
  };
}
