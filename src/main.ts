import { systemClock } from './kernel/clock.ts';
import { CommandExit, FAILURES, SIGNAL_FAILURES, SvcError } from './kernel/errors.ts';
import { userFolders } from './kernel/folders.ts';
import { commandLineOf, step } from './kernel/hint.ts';
import { currentFolder, type Io, leaveFileSizeSignal, processIo } from './kernel/io.ts';

/** Runs the command line of this process. The only place where an error becomes an exit code. */
export async function main(version: string): Promise<void> {
  const io = processIo();
  const words = process.argv.slice(2);
  process.exitCode = await settle(io, words, () => {
    const [first] = words;
    if (first === '--version' || first === '-V') return io.stdout.write(`${version}\n`);
    if (first === '__complete') return complete(io, words.slice(1));
    return isPlainHelp(words) ? help(io, words) : runCommand(io, words);
  });
}

/** What shells ask on TAB. It reads files at most, and says nothing of what goes wrong. */
async function complete(io: Io, words: readonly string[]): Promise<void> {
  const { completeLine } = await import('./commands/completion/complete.ts');
  const { env } = process;
  await io.stdout.write(
    await completeLine(words, { environment: env, cwd: currentFolder(), folders: userFolders(env) }).catch(() => ''),
  );
}

/** No words, or help of what stands before the last one, unless that turns out to be no command. */
function isPlainHelp(words: readonly string[]): boolean {
  return words.length === 0 || ['-h', '--help'].includes(words.at(-1) ?? '');
}

/** Help at once, without what it takes to read a command line. */
async function help(io: Io, words: readonly string[]): Promise<void> {
  const [{ helpAt }, { printHelp }] = await Promise.all([
    import('./commands/help/help-at.ts'),
    import('./commands/help/print-help.ts'),
  ]);
  const text = await helpAt(words.slice(0, -1));
  await (text === undefined ? runCommand(io, words) : printHelp(text, { io, environment: process.env }));
}

async function runCommand(io: Io, words: readonly string[]): Promise<void> {
  // What nobody waited for is a bug; said by Node itself, it could hold anything.
  process.on('uncaughtException', (thrown) => {
    void settle(io, words, () => Promise.reject(thrown)).then((code) => process.exit(code));
  });
  leaveFileSizeSignal();
  const { runCommandLine } = await import('./commands/line/command-line.ts');
  await runCommandLine(words, {
    io,
    environment: process.env,
    cwd: currentFolder(),
    clock: systemClock,
    folders: userFolders(process.env),
    signal: signalOfProcess(),
  });
}

/** Aborts at the first signal; a second one ends the process at once. */
function signalOfProcess(): AbortSignal {
  const controller = new AbortController();
  for (const [name, failure] of Object.entries(SIGNAL_FAILURES)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(FAILURES[failure].exitCode);
      controller.abort(new SvcError(failure, FAILURES[failure].meaning));
    });
  }
  return controller.signal;
}

async function settle(io: Io, words: readonly string[], run: () => Promise<void>): Promise<number> {
  try {
    await run();
    return 0;
  } catch (thrown) {
    const reporting = await import('./commands/terminal/report.ts').catch(() => undefined);
    return reporting ? reporting.report(io, words, process.env, thrown) : reportUnaided(io, thrown);
  }
}

/** Says that a run has ended, when an update has taken away the files that it would have read to say more. */
async function reportUnaided(io: Io, thrown: unknown): Promise<number> {
  const failure = thrown instanceof SvcError ? thrown.failure : undefined;
  const lines = [
    `svc: ${failure ? FAILURES[failure].meaning : 'its own files are gone'}`,
    `hint: svc was updated or removed while it ran: run it again; a job goes on with ${commandLineOf(step('resume', 'jobs', 'resume'))}`,
  ];
  await io.stderr.write(`${lines.join('\n')}\n`).catch(() => undefined);
  return thrown instanceof CommandExit ? thrown.exitCode : FAILURES[failure ?? 'local'].exitCode;
}
