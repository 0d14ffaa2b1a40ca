import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { isExistingFileError, openOutputFile } from '../../kernel/output-file.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { flushFolder } from '../../kernel/staged-file.ts';
import type { Context } from '../context.ts';
import { annotateLog, escapeWorkflowText } from '../terminal/annotation.ts';

/** A destination of a new token, opened before the reset is sent. */
export interface TokenDestination {
  readonly name: string;
  /** Delivers the token. Resolves once the token is stored durably. */
  deliver(token: string): Promise<void>;
  discard(): Promise<void>;
}

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

export async function openFile({ cwd, signal }: Context, given: string): Promise<TokenDestination> {
  const path = resolveOutputPath(given, cwd);
  // An existing file is empty, or may be replaced.
  const exists = (await stat(path).catch(() => undefined))?.isFile() ?? false;
  const request = { existing: exists ? 'replace' : 'fail', signal } as const;
  const file = await openOutputFile(path, request).catch((error: unknown) => {
    if (isExistingFileError(error)) throw createOutputFileError(`${given} already exists`, error);
    if (error instanceof SvcError && systemErrorCode(error.cause) === 'ENOENT')
      throw createOutputFileError(`the folder of ${given} does not exist`, error);
    throw error;
  });
  return {
    name: given,
    async deliver(token) {
      try {
        await file.write(`${token}\n`);
        await file.sync();
        await file.close();
        if (file.isRegular) await flushFolder(dirname(path));
      } catch (error) {
        throw createLocalFileError('write', given, error);
      }
    },
    discard: () => file.discard(),
  };
}

function createOutputFileError(problem: string, cause: unknown): SvcError {
  return new SvcError('usage', `--output-file: ${problem}`, {
    hint: 'nothing was sent; choose another file',
    cause,
  });
}

const VARIABLE = 'GITHUB_OUTPUT';

/**
 * Makes the runner mask the token first.
 * @throws SvcError `usage` outside of a GitHub Actions step
 */
export async function openGithub({ environment, io, signal }: Context): Promise<TokenDestination> {
  const path = environment[VARIABLE];
  if (!path) {
    throw new SvcError('usage', `--github: ${VARIABLE} is not set; nothing was sent`, {
      hint: '--github works only in a GitHub Actions step; elsewhere, use --output-file or --to',
    });
  }
  const file = await openOutputFile(path, { existing: 'append', mode: 0o600, signal });
  return {
    name: `$${VARIABLE}`,
    async deliver(token) {
      const masked = escapeWorkflowText(token);
      await annotateLog(
        io.stdout,
        `::add-mask::${io.stdout.isTerminal ? escapeForTerminal(masked) : masked}\n`,
      );
      await file.write(formatOutputLines(token));
      await file.close();
    },
    discard: () => file.close(),
  };
}

function formatOutputLines(token: string): string {
  if (!/[\r\n]/.test(token)) return `token=${token}\n`;
  const end = `end-${randomUUID()}`;
  return `token<<${end}\n${token}\n${end}\n`;
}
