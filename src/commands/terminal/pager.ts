import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { SIGNAL_FAILURES, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { currentPlatform, interceptSignals } from '../../kernel/process.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { SharedTerminal } from './shared-terminal.ts';

/**
 * Default settings of `less` and `lv`: keep colors, do not clear the screen, and exit if the text
 * fits.
 */
const PAGER_SETTINGS = { LESS: 'FRX', LV: '-c' };

/**
 * Shows texts, while they are read, in the pager given by SVC_PAGER or PAGER (default: less).
 * Without a pager, or if it fails, writes them to the terminal. Reads no further if the user leaves
 * the pager.
 */
export async function showInPager(
  environment: Environment,
  terminal: SharedTerminal,
  texts: AsyncIterable<string>,
) {
  const iterator = texts[Symbol.asyncIterator]();
  const reads: Promise<IteratorResult<string>>[] = [];
  // Keeps the input, in case the pager fails.
  const readAt = (at: number) => {
    reads[at] ??= iterator.next();
    return reads[at];
  };
  const command = pagerCommand(environment);
  const env = { ...PAGER_SETTINGS, ...environment };
  if (command !== undefined && (await terminal.lend(() => runPager(command, readAt, env)))) {
    await iterator.return?.();
    return;
  }
  for (let at = 0; ; at += 1) {
    const next = await readAt(at);
    if (next.done) return;
    await terminal.write(next.value);
  }
}

/** Reads the text at a position, after those before it. */
type ReadAt = (at: number) => Promise<IteratorResult<string>>;

/** Returns the command line of the pager. Returns `undefined` for an empty value and for `cat`. */
function pagerCommand(environment: Environment): string | undefined {
  const fallback = currentPlatform === 'win32' ? '' : 'less';
  const command = (environment[SWITCH_VARIABLES.pager] ?? environment['PAGER'] ?? fallback).trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Returns `undefined` for errors that Node.js throws, instead of emitting them. */
function startPager(command: string, env: Environment) {
  // Uses a shell only for special characters, because a shell prints its own message if the program
  // is missing.
  const isSimple = /^[\w./+=,:@ -]+$/.test(command);
  const [program = '', ...words] = isSimple ? command.split(/ +/) : [command];
  try {
    return spawn(program, words, {
      env,
      shell: !isSimple,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
  } catch {
    return undefined;
  }
}

async function runPager(command: string, readAt: ReadAt, env: Environment): Promise<boolean> {
  const child = startPager(command, env);
  if (!child) return false;
  let received: keyof typeof SIGNAL_FAILURES | undefined;
  // The pager receives Ctrl-C from the terminal and handles it.
  const restoreSignals = interceptSignals((signal) => {
    if (signal === 'SIGINT') return;
    received = signal;
    child.kill(signal);
  });
  try {
    const exited = once(child, 'close').then(
      ([exitCode]) => exitCode === 0,
      () => false,
    );
    await writeToPager(child.stdin, readAt, exited).finally(() => exited);
    const succeeded = await exited;
    if (received) throw new SvcError(SIGNAL_FAILURES[received], `ended by ${received}`);
    return succeeded;
  } finally {
    restoreSignals();
  }
}

/** Writes all texts to a pager, no faster than it reads them, until it exits. */
async function writeToPager(
  stdin: Writable,
  readAt: ReadAt,
  exited: Promise<unknown>,
): Promise<void> {
  const isExited = exited.then(() => undefined);
  stdin.on('error', () => undefined);
  try {
    for (let at = 0; ; at += 1) {
      const next = await Promise.race([readAt(at), isExited]);
      if (!next || next.done) return;
      if (!stdin.write(next.value))
        await Promise.race([new Promise((drained) => stdin.once('drain', drained)), isExited]);
    }
  } finally {
    stdin.end();
  }
}
