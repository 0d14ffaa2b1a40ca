const FIRST_BYTES = 64 * 1024;
const FIRST_STRINGS = 4096;
const MAX_STRINGS = 8 * 1024 * 1024;

/**
 * A list of texts in one buffer. A spreadsheet can have millions of distinct texts, and each string
 * of JavaScript has an overhead of its own.
 */
export class StringTable {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  /** The end of each text in `#bytes`. */
  #ends = new Uint32Array(FIRST_STRINGS);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @throws RangeError for more than 8 million texts, or 4 GB */
  add(text: string): void {
    const start = this.#endOf(this.#length - 1);
    const end = start + Buffer.byteLength(text);
    if (this.#length === MAX_STRINGS) throw new RangeError('it has more than 8 million texts');
    if (end > 0xffff_ffff) throw new RangeError('the texts have more than 4 GB');
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    if (this.#length === this.#ends.length) {
      const larger = new Uint32Array(2 * this.#ends.length);
      larger.set(this.#ends);
      this.#ends = larger;
    }
    this.#bytes.write(text, start);
    this.#ends[this.#length] = end;
    this.#length += 1;
  }

  get(index: number): string | undefined {
    if (!Number.isInteger(index) || index < 0 || index >= this.#length) return undefined;
    return this.#bytes.toString('utf8', this.#endOf(index - 1), this.#endOf(index));
  }

  #endOf(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}
