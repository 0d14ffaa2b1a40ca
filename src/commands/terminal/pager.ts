import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SIGNAL_FAILURES, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { currentPlatform, interceptSignals } from '../../kernel/process.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';

/** Settings of `less` and `lv`, unless the user has others: keep colors, clear nothing, and exit if the text fits. */
const PAGER_SETTINGS = { LESS: 'FRX', LV: '-c' };

/**
 * Shows a text in the pager that SVC_PAGER or PAGER names (default: less). Writes the text to the terminal if there is no
 * pager, or if it fails. A user who leaves the pager early has seen enough.
 */
export async function showInPager(context: Context, text: string): Promise<void> {
  const { environment, io } = context;
  const command = pagerCommand(environment);
  if (command === undefined || !(await runPager(command, text, { ...PAGER_SETTINGS, ...environment })))
    await io.stdout.write(text);
}

/** Finds the pager's command line; `undefined` if the user wants none. An empty text and `cat` mean none. */
function pagerCommand(environment: Environment): string | undefined {
  const fallback = currentPlatform === 'win32' ? '' : 'less';
  const command = (environment[SWITCH_VARIABLES.pager] ?? environment['PAGER'] ?? fallback).trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Runs a pager until the user leaves it. Returns whether it succeeded. */
async function runPager(command: string, text: string, env: Environment): Promise<boolean> {
  // Only a command with special characters needs a shell, which would print a message of its own for a missing program.
  const isSimple = /^[\w./+=,:@ -]+$/.test(command);
  const [program = '', ...words] = isSimple ? command.split(/ +/) : [command];
  const child = spawn(program, words, { env, shell: !isSimple, stdio: ['pipe', 'inherit', 'inherit'] });
  let received: keyof typeof SIGNAL_FAILURES | undefined;
  // The pager handles Ctrl-C, which reaches it too.
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
