import { systemClock } from './kernel/clock.ts';
import {
  CommandExit,
  commandLineOf,
  FAILURES,
  SIGNAL_FAILURES,
  SvcError,
  step,
  systemErrorCode,
} from './kernel/errors.ts';
import { resolveUserFolders } from './kernel/folders.ts';
import { createProcessIo, type Io } from './kernel/io.ts';
import { currentFolder, ignoreSignalListenersOfLibraries } from './kernel/process.ts';

export async function main(version: string): Promise<void> {
  const io = createProcessIo();
  const words = process.argv.slice(2);
  process.exitCode = await runToExitCode(io, words, () => {
    const [first] = words;
    const isVersion =
      first === '--version' || first === '-V' || (first === '-v' && words.length === 1);
    if (isVersion) return io.stdout.write(`${version}\n`);
    if (first === '__complete') return completeWords(io, words.slice(1));
    return isPlainHelp(words) ? help(io, words) : runCommand(io, words);
  });
  process.nextTick(exitIfIdle);
}

/**
 * Ends the process at once if nothing is pending. Otherwise, Node.js ends it later, after it has
 * collected garbage, which takes a few milliseconds.
 */
function exitIfIdle(): void {
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}

/** Prints completions for a shell. Reads only local files, and ignores all errors. */
async function completeWords(io: Io, words: readonly string[]): Promise<void> {
  const { completeLine } = await import('./commands/completion/complete.ts');
  const { env } = process;
  const surroundings = { environment: env, cwd: currentFolder(), folders: resolveUserFolders(env) };
  await io.stdout.write(await completeLine(words, surroundings).catch(() => ''));
}

function isPlainHelp(words: readonly string[]): boolean {
  return words.length === 0 || ['-h', '--help'].includes(words.at(-1) ?? '');
}

/**
 * Prints help quickly, without loading the command-line parser; falls back to it for an unknown
 * command.
 */
async function help(io: Io, words: readonly string[]): Promise<void> {
  const [{ helpForPath }, { START_SCREEN }, { printHelp }] = await Promise.all([
    import('./commands/help/command-help.ts'),
    import('./commands/help/root-help.ts'),
    import('./commands/help/print-help.ts'),
  ]);
  const page = words.length === 0 ? START_SCREEN : await helpForPath(words.slice(0, -1));
  await (page === undefined
    ? runCommand(io, words)
    : printHelp(page, { io, environment: process.env }));
}

async function runCommand(io: Io, words: readonly string[]): Promise<void> {
  // Reports unhandled errors as bugs. Node.js would print them without redaction.
  process.on('uncaughtException', (thrown) => {
    const error = isTerminalClosed(thrown)
      ? new SvcError('hangup', FAILURES.hangup.meaning)
      : thrown;
    void runToExitCode(io, words, () => Promise.reject(error)).then((code) => process.exit(code));
  });
  ignoreSignalListenersOfLibraries();
  const { runCommandLine } = await import('./commands/line/command-line.ts');
  await runCommandLine(words, {
    io,
    environment: process.env,
    cwd: currentFolder(),
    clock: systemClock,
    folders: resolveUserFolders(process.env),
    signal: createProcessSignal(io),
  });
}

/** Whether Node.js failed to end a prompt because the terminal was closed. SIGHUP arrives later. */
function isTerminalClosed(error: Error): boolean {
  return 'syscall' in error && error.syscall === 'setRawMode' && systemErrorCode(error) === 'EIO';
}

/**
 * Creates a signal that aborts at the first process signal. The second one ends the process at
 * once. Without a terminal, such as under `nohup`, a closed terminal has no effect: Node.js resets
 * the disposition that `nohup` sets.
 */
function createProcessSignal({ stdin, stdout, stderr }: Io): AbortSignal {
  const controller = new AbortController();
  // A terminal that was closed no longer looks like one.
  const hasTerminal = stdin.isTerminal || stdout.isTerminal || stderr.isTerminal;
  for (const [name, failure] of Object.entries(SIGNAL_FAILURES)) {
    process.on(name, () => {
      if (failure === 'hangup' && !hasTerminal) return;
      if (controller.signal.aborted) process.exit(FAILURES[failure].exitCode);
      controller.abort(new SvcError(failure, FAILURES[failure].meaning));
    });
  }
  return controller.signal;
}

async function runToExitCode(
  io: Io,
  words: readonly string[],
  run: () => Promise<void>,
): Promise<number> {
  try {
    await run();
    return 0;
  } catch (thrown) {
    const reporting = await import('./commands/terminal/report-error.ts').catch(() => undefined);
    return reporting
      ? reporting.reportError(io, words, process.env, thrown)
      : reportWithoutModules(io, thrown);
  }
}

/** Reports an error if an update of svc deleted the modules that normally report it. */
async function reportWithoutModules(io: Io, thrown: unknown): Promise<number> {
  const failure = thrown instanceof SvcError ? thrown.failure : undefined;
  const lines = [
    `svc: ${failure ? FAILURES[failure].meaning : 'the installation is missing files'}`,
    `hint: svc was updated or removed while it was running; run the command again, or resume a job with ${commandLineOf(step('resume', 'jobs', 'resume'))}`,
  ];
  await io.stderr.write(`${lines.join('\n')}\n`).catch(() => undefined);
  return thrown instanceof CommandExit ? thrown.exitCode : FAILURES[failure ?? 'local'].exitCode;
}
