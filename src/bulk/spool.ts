import { type FileHandle, open, rm } from 'node:fs/promises';
import { localFileError } from '../kernel/files.ts';
import { readBytes, readFileBytes } from './source/bytes.ts';

/** What came through a pipe, kept in a private file while it is read for the first time, so that it can be read again. */
export class Spool {
  readonly path: string;
  /** What comes through a pipe is as long as it turns out to be. */
  readonly size = undefined;
  readonly #name: string;
  readonly #stream: () => Promise<NodeJS.ReadableStream>;
  readonly #signal: AbortSignal;
  #state: 'untouched' | 'filling' | 'full' = 'untouched';

  /** @param stream is asked for when the first reading begins: a FIFO is waited for */
  constructor(path: string, name: string, stream: () => Promise<NodeJS.ReadableStream>, signal: AbortSignal) {
    this.path = path;
    this.#name = name;
    this.#stream = stream;
    this.#signal = signal;
  }

  /** The bytes from the first on. The first reading has to reach the end before the second may begin. */
  read(): AsyncIterable<Uint8Array> {
    switch (this.#state) {
      case 'untouched':
        return this.#fill();
      case 'full':
        return readFileBytes(this.path, this.#name, this.#signal);
      case 'filling':
        throw new TypeError('a pipe is read to its end before it is read again');
    }
  }

  async discard(): Promise<void> {
    if (this.#state !== 'untouched') await rm(this.path, { force: true });
  }

  async *#fill(): AsyncGenerator<Uint8Array> {
    const file = await this.#create();
    this.#state = 'filling';
    try {
      for await (const chunk of readBytes(await this.#stream(), this.#name, this.#signal)) {
        await this.#keep(file, chunk);
        yield chunk;
      }
      this.#state = 'full';
    } finally {
      await file.close();
    }
  }

  async #create(): Promise<FileHandle> {
    try {
      return await open(this.path, 'wx', 0o600);
    } catch (error) {
      throw localFileError('write', this.path, error);
    }
  }

  async #keep(file: FileHandle, chunk: Uint8Array): Promise<void> {
    try {
      await file.appendFile(chunk);
    } catch (error) {
      throw localFileError('write', this.path, error);
    }
  }
}
