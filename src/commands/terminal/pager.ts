import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SIGNAL_FAILURES, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { currentPlatform, interceptSignals } from '../../kernel/process.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';

/** Default settings of `less` and `lv`: keep colors, do not clear the screen, and exit if the text fits. */
const PAGER_SETTINGS = { LESS: 'FRX', LV: '-c' };

/**
 * Shows text in the pager given by SVC_PAGER or PAGER (default: less). Without a pager, or if it fails, writes the text
 * to the terminal. Ignores an early exit of the pager.
 */
export async function showInPager(context: Context, text: string): Promise<void> {
  const { environment, io } = context;
  const command = pagerCommand(environment);
  if (command === undefined || !(await runPager(command, text, { ...PAGER_SETTINGS, ...environment })))
    await io.stdout.write(text);
}

/** Returns the command line of the pager. Returns `undefined` for an empty value and for `cat`. */
function pagerCommand(environment: Environment): string | undefined {
  const fallback = currentPlatform === 'win32' ? '' : 'less';
  const command = (environment[SWITCH_VARIABLES.pager] ?? environment['PAGER'] ?? fallback).trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Runs a pager until it exits, and returns whether it succeeded. */
async function runPager(command: string, text: string, env: Environment): Promise<boolean> {
  // Uses a shell only for special characters, because a shell prints its own message if the program is missing.
  const isSimple = /^[\w./+=,:@ -]+$/.test(command);
  const [program = '', ...words] = isSimple ? command.split(/ +/) : [command];
  const child = spawn(program, words, { env, shell: !isSimple, stdio: ['pipe', 'inherit', 'inherit'] });
  let received: keyof typeof SIGNAL_FAILURES | undefined;
  // The pager receives Ctrl-C from the terminal and handles it.
  const restoreSignals = interceptSignals((signal) => {
    if (signal === 'SIGINT') return;
    received = signal;
    child.kill(signal);
  });
  try {
    child.stdin?.on('error', () => undefined).end(text);
    const succeeded = await exitedNormally(child);
    if (received) throw new SvcError(SIGNAL_FAILURES[received], `ended by ${received}`);
    return succeeded;
  } finally {
    restoreSignals();
  }
}

async function exitedNormally(child: ChildProcess): Promise<boolean> {
  try {
    const [exitCode] = await once(child, 'close');
    return exitCode === 0;
  } catch {
    return false;
  }
}
