import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import type { TokenDestination } from './destination.ts';

const PREFIX = 'exec:';

/**
 * Opens a shell command as a destination. The command gets the token on stdin, without a newline,
 * and its output goes to stderr. Checks the syntax and the first word of the command.
 * @throws SvcError `usage` for an invalid command
 */
export async function openCommand(context: Context, given: string): Promise<TokenDestination> {
  const line = given.startsWith(PREFIX) ? given.slice(PREFIX.length).trim() : '';
  if (line === '') {
    throw new SvcError('usage', '--to must have the form exec:<command>; nothing was sent', {
      hint: "for example --to exec:'gh secret set SVC_AUTH_TOKEN'",
    });
  }
  if (platform() !== 'win32') requireRunnable(context, line);
  return {
    name: 'the --to command',
    deliver: (token) => runWithToken(context, line, token),
    discard: async () => undefined,
  };
}

function requireRunnable({ cwd, environment }: Context, line: string): void {
  const shell = (...words: readonly string[]) =>
    spawnSync('sh', words, { cwd, env: { ...environment }, encoding: 'utf8', timeout: 5_000 });
  if (shell('-n', '-c', line).status !== 0) throw createToFlagError('invalid shell syntax');
  // Only the shell can resolve a first word with special characters.
  const [command = ''] = line.split(/[\s;|&<>()]/, 1);
  const isPlain = /^[\w./+-]+$/.test(command);
  if (isPlain && shell('-c', 'command -v "$1"', 'sh', command).status !== 0)
    throw createToFlagError(`command not found: ${command}`);
}

function createToFlagError(problem: string): SvcError {
  return new SvcError('usage', `--to: ${problem}; nothing was sent`, {
    hint: 'the command runs in sh, in the current folder',
  });
}

/**
 * Runs a shell command with the token on stdin.
 * @throws SvcError `local` unless the command exits with 0
 */
async function runWithToken(
  { cwd, environment, signal, tracing }: Context,
  line: string,
  token: string,
): Promise<void> {
  const env = { ...environment, ...(await tracing())?.variables };
  const child = spawn(line, { cwd, env, shell: true, stdio: ['pipe', 2, 2] });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    // Ignores write errors: a command may exit without reading all of its input.
    child.stdin?.on('error', () => undefined).end(token);
    await requireSuccess(child);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function requireSuccess(child: ChildProcess): Promise<void> {
  const [code, killedBy]: (number | string | null)[] = await once(child, 'exit').catch(
    (error: unknown) => {
      throw new SvcError('local', 'the command could not be started', { cause: error });
    },
  );
  const outcome = code === null ? `was killed by ${killedBy}` : `exited with ${code}`;
  if (code !== 0) throw new SvcError('local', `the command ${outcome}`);
}
