import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError, flushFolder } from '../../kernel/files.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { isExistingFileError, openOutputFile } from '../../kernel/output-file.ts';
import type { Context } from '../context.ts';
import type { TokenDestination } from './destination.ts';

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
