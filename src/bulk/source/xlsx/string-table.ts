const CHUNK_BYTES = 1024 * 1024;
const CHUNK_STRINGS = 64 * 1024;
const MAX_STRINGS = 8 * 1024 * 1024;

/**
 * A list of texts in a few buffers. A spreadsheet can have millions of distinct texts, and each string
 * of JavaScript has an overhead of its own. A single buffer would be copied while it grows.
 */
export class StringTable {
  /** The texts as UTF-8, one after the other. */
  readonly #chunks: Buffer[] = [];
  /** The end of each text in all chunks together. */
  readonly #ends: Uint32Array[] = [];
  #length = 0;
  #size = 0;

  get length(): number {
    return this.#length;
  }

  /** @throws RangeError for more than 8 million texts, or 4 GB */
  add(text: string): void {
    const end = this.#size + Buffer.byteLength(text);
    if (this.#length === MAX_STRINGS) throw new RangeError('it has more than 8 million texts');
    if (end > 0xffff_ffff) throw new RangeError('the texts have more than 4 GB');
    while (end > this.#chunks.length * CHUNK_BYTES)
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES));
    const [chunk, at] = this.#locate(this.#size);
    if (at + end - this.#size <= CHUNK_BYTES) chunk?.write(text, at);
    else this.#writeAcross(Buffer.from(text));
    const index = this.#length % CHUNK_STRINGS;
    if (index === 0) this.#ends.push(new Uint32Array(CHUNK_STRINGS));
    const ends = this.#ends.at(-1);
    if (ends) ends[index] = end;
    this.#size = end;
    this.#length += 1;
  }

  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#length) return undefined;
    const [start, end] = [this.#endOf(index - 1), this.#endOf(index)];
    const [chunk, at] = this.#locate(start);
    if (at + end - start <= CHUNK_BYTES) return chunk?.toString('utf8', at, at + end - start) ?? '';
    return Buffer.concat([...this.#pieces(start, end)]).toString();
  }

  #writeAcross(bytes: Buffer): void {
    let copied = 0;
    for (const piece of this.#pieces(this.#size, this.#size + bytes.length))
      copied += bytes.copy(piece, 0, copied);
  }

  /** Returns the parts of the chunks with a range of bytes. */
  *#pieces(start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; ) {
      const [chunk = Buffer.alloc(0), offset] = this.#locate(at);
      const piece = chunk.subarray(offset, offset + end - at);
      yield piece;
      at += piece.length;
    }
  }

  #locate(position: number): readonly [chunk: Buffer | undefined, offset: number] {
    return [this.#chunks[Math.floor(position / CHUNK_BYTES)], position % CHUNK_BYTES];
  }

  #endOf(index: number): number {
    if (index < 0) return 0;
    return this.#ends[Math.floor(index / CHUNK_STRINGS)]?.[index % CHUNK_STRINGS] ?? 0;
  }
}
