import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, platform as thisPlatform } from 'node:os';
import spawn from 'cross-spawn';
import { DEFAULT_HEADER_PREFIX } from '../../catalog/headers.ts';
import {
  CommandExit,
  hint,
  SvcError,
  stepWithPlaceholder,
  systemErrorCode,
} from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { interceptSignals } from '../../kernel/process.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import { type EmbeddedInstance, openEmbedded } from '../../service/embedded.ts';
import { startServer } from '../../service/server.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import { findReadOnlyOfAddress } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { ExecFlags } from './flags.ts';

/** Any free loopback port, so that several servers can use the same store. */
const ADDRESS = { host: '127.0.0.1', port: 0 };

/**
 * Runs a command with `SVC_*` variables for the embedded service, and exits with its exit code.
 * @throws CommandExit for an exit code other than 0, SvcError `usage` if the command does not exist
 */
export async function localExec(
  context: Context,
  { arguments: words, options }: Invocation<ExecFlags>,
): Promise<void> {
  const location = await resolveStoreLocation(context.options.store, context.folders);
  if (options.snapshot === undefined && !options.parallelSafe)
    return runOnStore(context, location, words);
  const { createSnapshots } = await import('../../service/local/snapshots/snapshots.ts');
  await createSnapshots(location).withCopy(options.snapshot, (copy) =>
    runOnStore(context, copy, words),
  );
}

async function runOnStore(
  context: Context,
  location: string,
  words: readonly string[],
): Promise<void> {
  const { clock, folders, signal } = context;
  const readOnly = (await findReadOnlyOfAddress(context)) !== undefined;
  await closeAfter(
    await openEmbedded(location, { clock, signal, logFolder: folders.data, readOnly }),
    async ({ handle, target }) => {
      const server = await startServer(handle, ADDRESS);
      const environment = {
        ...context.environment,
        ...(await context.tracing())?.variables,
      };
      const variables = createEnvironment(environment, server.url, target);
      const exitCode = await run(context, words, variables).finally(server.close);
      if (exitCode !== 0) throw new CommandExit(exitCode);
    },
  );
}

function createEnvironment(
  environment: Environment,
  url: string,
  { key, workspace }: EmbeddedInstance['target'],
) {
  const { [SETTING_VARIABLES.profile]: _, ...others } = environment;
  return {
    ...others,
    [SETTING_VARIABLES.baseUrl]: url,
    [SETTING_VARIABLES.headerPrefix]: DEFAULT_HEADER_PREFIX,
    [SETTING_VARIABLES.apiKey]: key.apiKey,
    [SETTING_VARIABLES.authToken]: key.authToken,
    [SETTING_VARIABLES.workspaceId]: workspace.workspaceId,
    [SETTING_VARIABLES.workspaceAuthToken]: workspace.workspaceAuthToken,
  };
}

async function run(
  { io, cwd, signal: stopped }: Context,
  [command = '', ...words]: readonly string[],
  env: Environment,
) {
  stopped.throwIfAborted();
  let restoreSignals: (() => void) | undefined;
  try {
    const child = spawn(command, words, { cwd, env, stdio: 'inherit' });
    restoreSignals = interceptSignals((signal) => {
      if (!reachesCommandDirectly(signal, io.stdin.isTerminal)) child.kill(signal);
    });
    return await exitOf(child);
  } catch (error) {
    throw createSpawnError(command, error, thisPlatform());
  } finally {
    restoreSignals?.();
  }
}

/**
 * Whether a signal reaches the command without forwarding. Terminals send Ctrl-C to every
 * foreground process, and a second signal could end the command. On Windows, all signals come from
 * the console, and forwarding would kill the command.
 */
export function reachesCommandDirectly(
  signal: NodeJS.Signals,
  atTerminal: boolean,
  platform = thisPlatform(),
): boolean {
  return platform === 'win32' || (atTerminal && signal !== 'SIGTERM');
}

/** Waits for the exit code. As in shells, a signal results in 128 plus the signal's number. */
async function exitOf(child: ChildProcess): Promise<number> {
  const [code, signal]: (number | null | NodeJS.Signals)[] = await once(child, 'exit');
  return typeof code === 'number' ? code : 128 + constants.signals[signal as NodeJS.Signals];
}

export function createSpawnError(
  command: string,
  error: unknown,
  platform: NodeJS.Platform,
): SvcError {
  const code = systemErrorCode(error);
  const problem =
    code === 'ENOENT' ? `command not found: ${command}` : `cannot run '${command}': ${code}`;
  const shell = platform === 'win32' ? 'cmd /c' : 'sh -c';
  return new SvcError('usage', problem, {
    hint: hint`pass a program and its arguments after --; to run shell code, run ${stepWithPlaceholder('retry', ['local', 'exec'], `-- ${shell} "…"`)}`,
    cause: error,
  });
}
