import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import type { Destination } from './destination.ts';

const PREFIX = 'exec:';

/**
 * A line of shell that gets the token, and no newline, on its stdin. What it prints goes to stderr. As far as can be
 * told beforehand, it is one that runs: the shell understands it, and its first word is a command.
 * @throws SvcError `usage`
 */
export async function openCommand(context: Context, given: string): Promise<Destination> {
  const line = given.startsWith(PREFIX) ? given.slice(PREFIX.length).trim() : '';
  if (line === '') {
    throw new SvcError('usage', '--to: it takes a command behind exec:; nothing was sent', {
      hint: "write it like --to exec:'gh secret set SVC_AUTH_TOKEN'",
    });
  }
  if (platform() !== 'win32') requireRunnable(context, line);
  return {
    name: `the command of --to`,
    deliver: (token) => runWith(context, line, token),
    discard: async () => undefined,
  };
}

function requireRunnable({ cwd, environment }: Context, line: string): void {
  const shell = (...words: readonly string[]) =>
    spawnSync('sh', words, { cwd, env: { ...environment }, encoding: 'utf8', timeout: 5_000 });
  if (shell('-n', '-c', line).status !== 0) throw refused('the shell does not understand it');
  // A word with anything special in it is for the shell to work out, when it runs.
  const [command = ''] = line.split(/[\s;|&<>()]/, 1);
  const isPlain = /^[\w./+-]+$/.test(command);
  if (isPlain && shell('-c', 'command -v "$1"', 'sh', command).status !== 0) throw refused(`there is no ${command}`);
}

function refused(problem: string): SvcError {
  return new SvcError('usage', `--to: ${problem}; nothing was sent`, { hint: 'it is run by sh, in this folder' });
}

/** @throws SvcError `local` unless it ends with 0. */
async function runWith({ cwd, environment, signal }: Context, line: string, token: string): Promise<void> {
  const child = spawn(line, { cwd, env: { ...environment }, shell: true, stdio: ['pipe', 2, 2] });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    // A command that has what it needs may be gone before its input is written; its exit code says how it fared.
    child.stdin?.on('error', () => undefined).end(token);
    await succeeded(child);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function succeeded(child: ChildProcess): Promise<void> {
  const [code, killedBy]: (number | string | null)[] = await once(child, 'exit').catch((error: unknown) => {
    throw new SvcError('local', 'it could not be run', { cause: error });
  });
  if (code !== 0) throw new SvcError('local', code === null ? `it ended by ${killedBy}` : `it ended with ${code}`);
}
