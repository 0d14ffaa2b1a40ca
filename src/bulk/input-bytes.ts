import { open, rm, stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { localFileError } from '../kernel/files.ts';
import { readFileBytes, readStreamBytes } from './source/bytes.ts';

export type InputBytes = RegularFileBytes | SpooledBytes;

/** The bytes of a regular file, which must not change between the first read and the last. */
export class RegularFileBytes {
  readonly path: string;
  readonly #name: string;
  readonly #signal: AbortSignal;
  size: number;
  /** Size, modification time, and inode at the first read. */
  #state: string | undefined;

  constructor(path: string, name: string, size: number, signal: AbortSignal) {
    this.path = path;
    this.size = size;
    this.#name = name;
    this.#signal = signal;
  }

  /** @throws SvcError `bad_data` if the file changed since the first read */
  async *read(): AsyncGenerator<Uint8Array> {
    await this.#requireUnchanged();
    yield* readFileBytes(this.path, this.#name, this.#signal);
    await this.#requireUnchanged();
  }

  /** Does nothing: the file belongs to the user. */
  discard(): Promise<void> {
    return Promise.resolve();
  }

  async #requireUnchanged(): Promise<void> {
    const { size, mtimeMs, ino } = await stat(this.path).catch((error: unknown) => {
      throw localFileError('read', this.#name, error);
    });
    const state = `${size} ${mtimeMs} ${ino}`;
    this.#state ??= state;
    this.size = size;
    if (state === this.#state) return;
    throw new SvcError('bad_data', `${this.#name} changed while svc was reading it`, {
      hint: 'try again when no other process is writing to the file',
    });
  }
}

/** The bytes of a pipe. The first read copies them to a spool, a private file that later reads use. */
export class SpooledBytes {
  readonly path: string;
  readonly size = undefined;
  readonly #name: string;
  readonly #stream: () => Promise<NodeJS.ReadableStream>;
  readonly #signal: AbortSignal;
  #state: 'untouched' | 'filling' | 'full' = 'untouched';

  /** @param stream called when the first read starts, because opening a FIFO waits for a writer */
  constructor(path: string, name: string, stream: () => Promise<NodeJS.ReadableStream>, signal: AbortSignal) {
    this.path = path;
    this.#name = name;
    this.#stream = stream;
    this.#signal = signal;
  }

  /** Reads the bytes from the start. The first read must reach the end before the second one begins. */
  read(): AsyncIterable<Uint8Array> {
    switch (this.#state) {
      case 'untouched':
        return this.#fillSpool();
      case 'full':
        return readFileBytes(this.path, this.#name, this.#signal);
      case 'filling':
        throw new TypeError('a pipe must be read to its end before it is read again');
    }
  }

  async discard(): Promise<void> {
    if (this.#state !== 'untouched') await rm(this.path, { force: true });
  }

  async *#fillSpool(): AsyncGenerator<Uint8Array> {
    const fail = (error: unknown) => {
      throw localFileError('write', this.path, error);
    };
    const file = await open(this.path, 'wx', 0o600).catch(fail);
    this.#state = 'filling';
    try {
      for await (const chunk of readStreamBytes(await this.#stream(), this.#name, this.#signal)) {
        await file.appendFile(chunk).catch(fail);
        yield chunk;
      }
      this.#state = 'full';
    } finally {
      await file.close();
    }
  }
}
