import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { flushFolder, localFileError } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { Destination } from './destination.ts';

/** A new private file for the token and a newline. @throws SvcError `usage` where something stands there already */
export async function openFile({ cwd }: Context, given: string): Promise<Destination> {
  const path = resolve(cwd, given);
  const file = await create(path, given);
  return {
    name: given,
    async deliver(token) {
      try {
        await file.writeFile(`${token}\n`);
        await file.sync();
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

async function create(path: string, given: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EEXIST') throw refused(`${given} exists already; it is never written over`, error);
    if (code === 'ENOENT') throw refused(`there is no folder for ${given}`, error);
    throw localFileError('write', given, error);
  }
}

function refused(problem: string, cause: unknown): SvcError {
  return new SvcError('usage', `--output-file: ${problem}`, { hint: 'nothing was sent; name another file', cause });
}
