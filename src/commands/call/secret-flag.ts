import { resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { readUntilAborted } from '../../kernel/read-until-aborted.ts';
import { readSecretFromFile, readSecretFromStream } from '../../profiles/secret-input.ts';
import type { Context } from '../context.ts';

/**
 * Reads the secret of `--x-file` or `--x-stdin`.
 * @throws SvcError `usage` for both, and if stdin is a terminal
 */
export async function readSecretFlag(
  { io: { stdin }, cwd, signal }: Context,
  name: string,
  path: string | undefined,
  fromStdin = false,
): Promise<string | undefined> {
  if (!fromStdin)
    return path === undefined ? undefined : readSecretFromFile(resolve(cwd, path), signal);
  if (path !== undefined)
    throw new SvcError('usage', `--${name}-stdin and --${name}-file cannot be combined`);
  if (stdin.isTerminal)
    throw new SvcError('usage', `--${name}-stdin: stdin is a terminal`, {
      hint: 'pipe the secret in, or use a file',
    });
  return readSecretFromStream(readUntilAborted(stdin.stream, signal), `--${name}-stdin`);
}
