export class BitSet {
  #words = new Uint32Array(1024);
  size = 0;

  has(number: number): boolean {
    return (((this.#words[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1;
  }

  add(number: number): void {
    if (this.has(number)) return;
    const at = number >>> 5;
    if (at >= this.#words.length) {
      const grown = new Uint32Array(Math.max(this.#words.length * 2, at + 1));
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[at] = (this.#words[at] ?? 0) | (1 << (number & 31));
    this.size += 1;
  }
}
