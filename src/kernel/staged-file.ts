import { constants, copyFile, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from './errors.ts';
import { createStagedPath, flush, flushFolder, moveIntoPlace, stagedModeOf } from './files.ts';
import { once } from './once.ts';

/** A private file that becomes an output when it is complete. Until then, the output is untouched. */
export interface StagedFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Truncates the file to at most `bytes`. Returns the resulting size. */
  truncateTo(bytes: number): Promise<number>;
  /** Flushes the file to the disk, and checks that it contains all bytes. */
  finish(): Promise<void>;
  /**
   * Puts the file in the place of another one.
   * @param mode permissions, as in `ReplaceFileOptions`
   */
  replace(target: string, mode: number | undefined): Promise<void>;
  /** Puts the file in a place that is free. Returns false if it is not. */
  create(target: string): Promise<boolean>;
  discard(): Promise<void>;
}

/**
 * Opens a file beside a path without links.
 * @param mode permissions of the path if it is new, as in `ReplaceFileOptions`
 * @throws the system's error, like the methods
 */
export async function stageFile(path: string, mode?: number): Promise<StagedFile> {
  const staged = createStagedPath(path);
  const file = await open(staged, 'ax', await stagedModeOf(path, mode));
  let size = 0;
  const close = once(() => file.close());
  const finish = async () => {
    await flush(file);
    if ((await file.stat()).size !== size)
      throw new Error('only part of the file was written; the disk may be full');
  };
  const complete = once(async () => {
    await finish();
    await close();
  });
  const discard = async () => {
    await close();
    await rm(staged, { force: true });
  };
  const discardOnError = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      await discard();
      throw error;
    }
  };
  return {
    async write(bytes) {
      await file.appendFile(bytes);
      size += bytes.length;
    },
    async truncateTo(bytes) {
      size = Math.min(size, bytes);
      await file.truncate(size);
      return size;
    },
    finish,
    replace: (target, mode) =>
      discardOnError(async () => {
        await complete();
        await moveIntoPlace(staged, target, mode);
        await flushFolder(dirname(target));
      }),
    create: (target) =>
      discardOnError(async () => {
        await complete();
        if (!(await createFrom(staged, target))) return false;
        await rm(staged);
        await flushFolder(dirname(target));
        return true;
      }),
    discard,
  };
}

/** Creates a second name of a file; a copy on a file system without hard links. */
async function createFrom(source: string, target: string): Promise<boolean> {
  const isTaken = (error: unknown) => {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  };
  try {
    await link(source, target);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
  }
  return copyFile(source, target, constants.COPYFILE_EXCL).then(() => true, isTaken);
}
