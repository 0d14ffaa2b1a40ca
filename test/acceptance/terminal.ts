import { type IPty, spawn } from '@lydell/node-pty';
import { BIN } from './svc.ts';

/** `svc` in a real terminal. A test waits for output and then types, like a user. */
export interface Terminal {
  /**
   * Resolves when the screen has shown the text, perhaps wrapped. Rejects with all output if the
   * program exits before.
   */
  shows(text: string): Promise<void>;
  type(keys: string): void;
  readonly ended: Promise<number>;
  /** All output so far, without control sequences. */
  screen(): string;
  /** All output so far, with control sequences. */
  raw(): string;
  /** Ends the program and its child processes if they are still running. */
  kill(): void;
}

/** A terminal whose window can be closed while the program runs. */
export interface TerminalWindow extends Terminal {
  close(): void;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are removed
const CONTROL_SEQUENCES = /\u001b(\[[0-9;?]*[A-Za-z]|\][^\u0007]*\u0007|[=>78])/g;

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

export function startTerminal(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns = 100,
): TerminalWindow {
  return startInTerminal(process.execPath, [BIN, ...words], { env, columns });
}

/** Starts any program in a terminal, such as a shell for completion tests. */
export function startInTerminal(
  program: string,
  words: readonly string[],
  {
    env,
    columns = 100,
    cwd,
  }: { env: Readonly<Record<string, string>>; columns?: number; cwd?: string },
): TerminalWindow {
  const child = spawn(program, [...words], {
    env: { ...env, TERM: 'xterm-256color' },
    cols: columns,
    rows: 30,
    ...(cwd && { cwd }),
  });
  const terminal = createTerminal({
    read: (receive) => child.onData(receive),
    // As a shell reports it.
    ended: new Promise<number>((resolve) =>
      child.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
    ),
    type: (keys) => child.write(keys),
    kill: () => {
      // In its own terminal, the program leads a process group. Remaining processes would keep the
      // terminal open.
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The program has already exited.
      }
    },
  });
  // The types of the library omit `destroy`.
  return { ...terminal, close: () => (child as IPty & { destroy(): void }).destroy() };
}

interface Source extends Pick<Terminal, 'ended' | 'type' | 'kill'> {
  read(receive: (text: string) => void): void;
}

/** Creates a terminal for anything that writes to a screen and reads keys. */
export function createTerminal({ read, ...source }: Source): Terminal {
  let shown = '';
  let check = () => {};
  const screen = () => shown.replace(CONTROL_SEQUENCES, '');
  read((text) => {
    shown += text;
    check();
  });
  return {
    ...source,
    screen,
    raw: () => shown,
    shows: (text) =>
      new Promise((resolve, reject) => {
        check = () => {
          if (onOneLine(screen()).includes(onOneLine(text))) resolve();
        };
        check();
        void source.ended.then((code) =>
          reject(new Error(`ended with ${code} before it showed '${text}':\n${screen()}`)),
        );
      }),
  };
}
