import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { createTemporaryPath } from '../../../kernel/temporary.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Number of chunks that stay in memory. Later ones are written to a file. */
const MEMORY_CHUNKS = 4;
/** Size and number of the file's pages in memory. Reading texts in the order of the rows needs few. */
const [PAGE_BYTES, MEMORY_PAGES] = [8 * 1024, 64];
const END_BYTES = 4;
const MAX_STRINGS = 8 * 1024 * 1024;
/** Number of texts above which distinct texts must have more than 2 bytes on average. */
const FLOOD_STRINGS = 1024 * 1024;

/**
 * A list of texts outside the heap. A spreadsheet can have millions of distinct texts, and each string
 * of JavaScript has an overhead of its own. Most texts of a large list are in a temporary file.
 */
export class StringTable {
  /** The texts as UTF-8, one after the other. */
  readonly #texts = new ByteList();
  /** The end of each text. */
  readonly #ends = new ByteList();
  readonly #end = Buffer.alloc(END_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @throws RangeError for more than 8 million texts, for 4 GB, and for a flood of short texts */
  add(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#length === MAX_STRINGS) throw new RangeError('it has more than 8 million texts');
    if (this.#texts.size + length > 0xffff_ffff)
      throw new RangeError('the texts have more than 4 GB');
    if (this.#length > Math.max(FLOOD_STRINGS, this.#texts.size / 2))
      throw new RangeError('it has too many short texts');
    this.#texts.appendText(text, length);
    this.#end.writeUInt32LE(this.#texts.size);
    this.#ends.append(this.#end);
    this.#length += 1;
  }

  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#length) return undefined;
    const start = index === 0 ? 0 : this.#endOf(index - 1);
    return this.#texts.readText(start, this.#endOf(index) - start);
  }

  /** Closes the temporary files. */
  close(): void {
    this.#texts.close();
    this.#ends.close();
  }

  #endOf(index: number): number {
    const [bytes, at] = this.#ends.locate(index * END_BYTES);
    return bytes.readUInt32LE(at);
  }
}

/** A list of bytes: the first ones in memory, the others in a temporary file. */
class ByteList {
  /** Undefined for chunks in the file. A single buffer would be copied while it grows. */
  readonly #chunks: (Buffer | undefined)[] = [];
  /** Undefined before the first chunk is written, and if there is no space for the file. */
  #file: number | undefined;
  #isWritable = true;
  /** The pages that were read last, by page number modulo `MEMORY_PAGES`. */
  readonly #pages: { number: number; readonly bytes: Buffer }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  appendText(text: string, length: number): void {
    const at = this.#size % CHUNK_BYTES;
    if (at > 0 && at + length <= CHUNK_BYTES) {
      this.#chunks.at(-1)?.write(text, at);
      this.#size += length;
    } else this.append(Buffer.from(text));
  }

  append(bytes: Buffer): void {
    for (let copied = 0; copied < bytes.length; ) {
      const at = this.#size % CHUNK_BYTES;
      const chunk = (at > 0 && this.#chunks.at(-1)) || this.#addChunk();
      const length = bytes.copy(chunk, at, copied);
      copied += length;
      this.#size += length;
    }
  }

  readText(start: number, length: number): string {
    if (length === 0) return '';
    const [bytes, at] = this.locate(start);
    if (at + length <= bytes.length) return bytes.toString('utf8', at, at + length);
    const text = Buffer.alloc(length);
    for (let copied = 0; copied < length; ) {
      const [piece, from] = this.locate(start + copied);
      copied += piece.copy(text, copied, from);
    }
    return text.toString();
  }

  /** Finds the bytes around a position. The next call can change them. */
  locate(position: number): readonly [bytes: Buffer, at: number] {
    const chunk = this.#chunks[Math.floor(position / CHUNK_BYTES)];
    return chunk
      ? [chunk, position % CHUNK_BYTES]
      : [this.#readPage(Math.floor(position / PAGE_BYTES)), position % PAGE_BYTES];
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Adds a chunk. Reuses the memory of the previous chunk if that was written to the file. */
  #addChunk(): Buffer {
    const last = this.#chunks.length - 1;
    let chunk = last < MEMORY_CHUNKS ? undefined : this.#chunks[last];
    if (chunk && this.#write(chunk, last * CHUNK_BYTES)) this.#chunks[last] = undefined;
    else chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Returns false if there is no space for the file. */
  #write(bytes: Buffer, position: number): boolean {
    if (!this.#isWritable) return false;
    try {
      this.#file ??= createUnnamedFile();
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.#file, bytes, written, undefined, position + written);
    } catch {
      this.#isWritable = false;
    }
    return this.#isWritable;
  }

  #readPage(number: number): Buffer {
    const at = number % MEMORY_PAGES;
    const page = this.#pages[at] ?? { number: -1, bytes: Buffer.allocUnsafeSlow(PAGE_BYTES) };
    if (page.number !== number) {
      if (this.#file === undefined) throw new TypeError('the texts are not available');
      readSync(this.#file, page.bytes, 0, PAGE_BYTES, number * PAGE_BYTES);
      page.number = number;
      this.#pages[at] = page;
    }
    return page.bytes;
  }
}

/** Creates a private file that is deleted when it is closed. */
function createUnnamedFile(): number {
  const path = createTemporaryPath('texts');
  const file = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return file;
}
