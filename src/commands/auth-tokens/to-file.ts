import { open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { flush, flushFolder, localFileError } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { TokenDestination } from './destination.ts';

export async function openFile({ cwd }: Context, given: string): Promise<TokenDestination> {
  const path = resolve(cwd, given);
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') throw outputFileError(`${given} already exists`, error);
    if (code === 'ENOENT') throw outputFileError(`the folder of ${given} does not exist`, error);
    throw localFileError('write', given, error);
  });
  return {
    name: given,
    async deliver(token) {
      try {
        await file.writeFile(`${token}\n`);
        await flush(file);
        await file.close();
        await flushFolder(dirname(path));
      } catch (error) {
        throw localFileError('write', given, error);
      }
    },
    async discard() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

function outputFileError(problem: string, cause: unknown): SvcError {
  return new SvcError('usage', `--output-file: ${problem}`, {
    hint: 'nothing was sent; choose another file',
    cause,
  });
}
