import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, platform as thisPlatform } from 'node:os';
import { DEFAULT_HEADER_PREFIX } from '../../catalog/headers.ts';
import { CommandExit, SvcError, systemErrorCode } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { interceptSignals } from '../../kernel/io.ts';
import { VARIABLES } from '../../kernel/variables.ts';
import { type Embedded, openEmbedded } from '../../service/embedded.ts';
import { startServer } from '../../service/server.ts';
import { storeLocation } from '../../service/store/location.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { startOf } from './command-start.ts';

/** On this machine only, on any free port: it stands beside other servers of the same store. */
const ADDRESS = { host: '127.0.0.1', port: 0 };

/**
 * Runs a command beside the embedded service, which its `SVC_*` variables lead to, and ends as the command does.
 * @throws CommandExit with the command's code unless that is 0, `usage` when there is no such command.
 */
export async function localExec(context: Context, { arguments: words }: Invocation): Promise<void> {
  const { clock, folders, options, signal } = context;
  if (options.dryRun) throw new SvcError('usage', '--dry-run cannot hold back what another command does');
  const service = await openEmbedded(await storeLocation(options.store, folders), { clock, signal });
  try {
    const exitCode = await runBeside(context, service, words);
    if (exitCode !== 0) throw new CommandExit(exitCode);
  } finally {
    await service.close();
  }
}

async function runBeside(context: Context, service: Embedded, words: readonly string[]): Promise<number> {
  const server = await startServer(service.answer, ADDRESS);
  try {
    return await run(context, words, environmentFor(context.environment, server.url, service.target));
  } finally {
    await server.close();
  }
}

/** The variables of this run, and for svc those that lead to the service: whatever chose another one is left out. */
function environmentFor(environment: Environment, url: string, { key, workspace }: Embedded['target']) {
  const { [VARIABLES.profile]: _, ...others } = environment;
  return {
    ...others,
    [VARIABLES.baseUrl]: url,
    [VARIABLES.headerPrefix]: DEFAULT_HEADER_PREFIX,
    [VARIABLES.apiKey]: key.apiKey,
    [VARIABLES.authToken]: key.authToken,
    [VARIABLES.workspaceId]: workspace.workspaceId,
    [VARIABLES.workspaceAuthToken]: workspace.workspaceAuthToken,
  };
}

/** Runs a command on this run's own streams to its end, and hands signals on to it. @returns its exit code */
async function run(
  { io, cwd, signal: stopped }: Context,
  [command = '', ...words]: readonly string[],
  env: Environment,
): Promise<number> {
  stopped.throwIfAborted();
  const start = startOf(command, words, { environment: env, cwd });
  const child = spawn(start.program, start.words, {
    ...{ cwd, env, stdio: 'inherit' },
    windowsVerbatimArguments: start.verbatim,
  });
  const giveBack = interceptSignals((signal) => {
    if (!reachesAll(signal, io.stdin.isTerminal)) child.kill(signal);
  });
  try {
    return await exitOf(child);
  } catch (error) {
    throw notRunnable(command, error, thisPlatform());
  } finally {
    giveBack();
  }
}

/**
 * Whether a signal has reached the command as well: what is typed at a terminal goes to every process on it, and a second
 * one would end the command at once. On Windows all signals come from the console, and to hand one on is to kill.
 */
export function reachesAll(signal: NodeJS.Signals, atTerminal: boolean, platform = thisPlatform()): boolean {
  return platform === 'win32' || (atTerminal && signal !== 'SIGTERM');
}

/** As shells count: a signal is 128 and its number. */
async function exitOf(child: ChildProcess): Promise<number> {
  const [code, signal]: (number | null | NodeJS.Signals)[] = await once(child, 'exit');
  return typeof code === 'number' ? code : 128 + constants.signals[signal as NodeJS.Signals];
}

export function notRunnable(command: string, error: unknown, platform: NodeJS.Platform): SvcError {
  const code = systemErrorCode(error);
  const problem = code === 'ENOENT' ? `there is no command '${command}'` : `cannot run '${command}': ${code}`;
  const shell = platform === 'win32' ? 'cmd /c' : 'sh -c';
  return new SvcError('usage', problem, {
    hint: `the words after -- are a program and its arguments; for a line of shell, ${shell} "…"`,
    cause: error,
  });
}
