import { stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { localFileError } from '../kernel/files.ts';
import { readFileBytes } from './source/bytes.ts';

/** The bytes of a file that has to stay the same from the first reading to the last. */
export class NamedFileBytes {
  readonly path: string;
  readonly #name: string;
  readonly #signal: AbortSignal;
  size: number;
  /** What tells one state of the file from another. */
  #state: string | undefined;

  /** @param size of the file as it was found */
  constructor(path: string, name: string, size: number, signal: AbortSignal) {
    this.path = path;
    this.size = size;
    this.#name = name;
    this.#signal = signal;
  }

  /** @throws SvcError `bad_data` when the file is no longer the one that was read before */
  async *read(): AsyncGenerator<Uint8Array> {
    await this.#compare();
    yield* readFileBytes(this.path, this.#name, this.#signal);
    await this.#compare();
  }

  /** The user's own file stays. */
  discard(): Promise<void> {
    return Promise.resolve();
  }

  async #compare(): Promise<void> {
    const { size, mtimeMs, ino } = await stat(this.path).catch((error: unknown) => {
      throw localFileError('read', this.#name, error);
    });
    const state = `${size} ${mtimeMs} ${ino}`;
    this.#state ??= state;
    this.size = size;
    if (state === this.#state) return;
    throw new SvcError('bad_data', `${this.#name}: it changed while it was read`, {
      hint: 'run the command again when nothing writes to the file',
    });
  }
}
