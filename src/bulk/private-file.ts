import { open, rm } from 'node:fs/promises';
import { localFileError } from '../kernel/files.ts';

const FLAGS = { empty: 'w', keep: 'a', fail: 'wx' } as const;
export type PrivateFile = Awaited<ReturnType<typeof openPrivateFile>>;

/**
 * Opens a file for sequential writing that only its owner can read. Never removes a device or a
 * pipe. Errors have exit code 12 and name the path.
 * @param existing how to treat an existing file: empty it, append to it, or fail
 */
export async function openPrivateFile(path: string, existing: keyof typeof FLAGS) {
  const fail = (error: unknown): never => {
    throw localFileError('write', path, error);
  };
  const handle = await open(path, FLAGS[existing], 0o600).catch(fail);
  const isRegular = (await handle.stat().catch(fail)).isFile();
  if (isRegular) await handle.chmod(0o600).catch(fail);
  const close = () => handle.close().catch(fail);
  return {
    path,
    write: (text: string) => handle.appendFile(text).catch(fail),
    /**
     * Truncates the file to at most `bytes`. Returns the resulting size; 0 if the file is not
     * regular.
     */
    async truncateTo(bytes: number): Promise<number> {
      if (!isRegular) return 0;
      const { size } = await handle.stat().catch(fail);
      if (size > bytes) await handle.truncate(bytes).catch(fail);
      return Math.min(size, bytes);
    },
    close,
    async discard(): Promise<void> {
      await close();
      if (isRegular) await rm(path, { force: true });
    },
  };
}
