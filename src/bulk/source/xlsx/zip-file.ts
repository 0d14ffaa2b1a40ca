import { close, open, read, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

const WINDOW_BYTES = 64 * 1024;
/** The record at the end of an archive: its signature, its size, and the offset of the comment's size. */
const [END, END_BYTES, COMMENT_SIZE_AT] = [Buffer.from('PK\x05\x06'), 22, 20];
const TRUNCATED = 'the file is truncated';
const [openPromise, readPromise] = [promisify(open), promisify(read)];

/**
 * Opens a ZIP archive. Names stay bytes. Closing the archive closes the file.
 * @throws the system's error, or the one of an invalid archive
 */
export async function openZipFile(path: string): Promise<ZipFile> {
  const { size } = await stat(path);
  const file = await openPromise(path, 'r');
  return fromRandomAccessReaderPromise(new FileReader(file), await findEnd(file, size), {
    autoClose: false,
    decodeStrings: false,
  });
}

/** Finds the end of an archive. Programs and servers append zeros or signatures to files. */
async function findEnd(file: number, size: number): Promise<number> {
  const start = Math.max(0, size - WINDOW_BYTES);
  const tail = Buffer.alloc(size - start);
  await readPromise(file, tail, 0, tail.length, start);
  for (let at = tail.lastIndexOf(END); at >= 0; at = tail.subarray(0, at).lastIndexOf(END)) {
    if (at + END_BYTES > tail.length) continue;
    const end = at + END_BYTES + tail.readUInt16LE(at + COMMENT_SIZE_AT);
    if (end <= tail.length) return start + end;
  }
  return size;
}

/**
 * Reads a file ahead. The list of an archive's parts is read in two small steps per part, which is 50
 * times slower with a call to the system for each.
 */
class FileReader extends RandomAccessReader {
  readonly #file: number;
  readonly #window = Buffer.alloc(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(file: number) {
    super();
    this.#file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    if (length > WINDOW_BYTES) {
      read(this.#file, target, offset, length, position, callback);
      return;
    }
    try {
      this.#moveTo(position, length);
    } catch (error) {
      callback(error instanceof Error ? error : new Error('the file cannot be read'));
      return;
    }
    this.#window.copy(target, offset, position - this.#start, position - this.#start + length);
    callback(null);
  }

  #moveTo(position: number, length: number): void {
    if (position >= this.#start && position + length <= this.#end) return;
    this.#start = position;
    this.#end = position + readSync(this.#file, this.#window, 0, WINDOW_BYTES, position);
    if (position + length > this.#end) throw new Error(TRUNCATED);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#readRange(start, end), { objectMode: false });
  }

  /** Reads a range in pieces. A stream of Node.js would close the file at its end. */
  async *#readRange(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, end - at));
      const { bytesRead } = await readPromise(this.#file, piece, 0, piece.length, at);
      if (bytesRead === 0) throw new Error(TRUNCATED);
      yield piece.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  override close(callback: (error: Error | null) => void): void {
    close(this.#file, (error) => callback(error ?? null));
  }
}
