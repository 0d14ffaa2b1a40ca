import { type FileHandle, open, rm } from 'node:fs/promises';
import { localFileError } from '../kernel/files.ts';

const FLAGS = { empty: 'w', keep: 'a', fail: 'wx' } as const;

/** A file for sequential writing that only its owner can read. Errors have exit code 12 and name the path. */
export class PrivateFile {
  readonly path: string;
  /** False for a device or a pipe, which is written to and never removed. */
  readonly isRegular: boolean;
  readonly #handle: FileHandle;

  private constructor(path: string, isRegular: boolean, handle: FileHandle) {
    this.path = path;
    this.isRegular = isRegular;
    this.#handle = handle;
  }

  static async create(path: string, existing: 'empty' | 'keep' | 'fail'): Promise<PrivateFile> {
    try {
      const handle = await open(path, FLAGS[existing], 0o600);
      const isRegular = (await handle.stat()).isFile();
      if (isRegular) await handle.chmod(0o600);
      return new PrivateFile(path, isRegular, handle);
    } catch (error) {
      throw localFileError('write', path, error);
    }
  }

  async write(text: string): Promise<void> {
    await this.#handle.appendFile(text).catch(this.#fail);
  }

  /** Truncates the file to at most `bytes`. Returns the resulting size; 0 if the file is not regular. */
  async truncateTo(bytes: number): Promise<number> {
    if (!this.isRegular) return 0;
    const { size } = await this.#handle.stat().catch(this.#fail);
    if (size > bytes) await this.#handle.truncate(bytes).catch(this.#fail);
    return Math.min(size, bytes);
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(this.#fail);
  }

  async discard(): Promise<void> {
    await this.close();
    if (this.isRegular) await rm(this.path, { force: true });
  }

  readonly #fail = (error: unknown): never => {
    throw localFileError('write', this.path, error);
  };
}
