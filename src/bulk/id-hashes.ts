import { hashId } from './id-hash.ts';

const BLOCK = 1 << 16;

/** The ids of an input as hashes of 64 bits: what stands in it twice can be told from eight bytes an id. */
export class IdHashes {
  readonly #blocks: Uint32Array[] = [];
  #last = new Uint32Array(0);
  #used = 0;

  add(id: string): void {
    if (this.#used === this.#last.length) {
      this.#last = new Uint32Array(2 * BLOCK);
      this.#blocks.push(this.#last);
      this.#used = 0;
    }
    hashId(id, this.#last, this.#used);
    this.#used += 2;
  }

  /** The hashes that came more than once, each one time. The ids themselves are let go. */
  takeRepeated(): HashSet {
    const sorted = new BigUint64Array(Math.max(0, this.#blocks.length - 1) * BLOCK + this.#used / 2);
    const halves = new Uint32Array(sorted.buffer);
    for (const [at, block] of this.#blocks.entries()) {
      halves.set(block === this.#last ? block.subarray(0, this.#used) : block, at * 2 * BLOCK);
    }
    this.#blocks.length = 0;
    sorted.sort();
    const repeated: bigint[] = [];
    for (let at = 2; at < halves.length; at += 2) {
      if (halves[at] !== halves[at - 2] || halves[at + 1] !== halves[at - 1]) continue;
      const hash = sorted[at / 2] ?? 0n;
      if (repeated.at(-1) !== hash) repeated.push(hash);
    }
    return new HashSet(repeated);
  }
}

/** Some hashes of ids. */
export class HashSet {
  readonly #sorted: readonly bigint[];
  readonly #hashes: ReadonlySet<bigint>;

  constructor(sorted: readonly bigint[]) {
    this.#sorted = sorted;
    this.#hashes = new Set(sorted);
  }

  get size(): number {
    return this.#sorted.length;
  }

  /** Whether the hash of an id is one of them. Of two ids with one hash both are. */
  has(id: string): boolean {
    hashId(id, scratch, 0);
    return this.#hashes.has(scratchHash[0] ?? 0n);
  }

  /** The same hashes in sets of at most so many. */
  parts(most: number): HashSet[] {
    return Array.from(
      { length: Math.ceil(this.size / most) },
      (_, part) => new HashSet(this.#sorted.slice(part * most, (part + 1) * most)),
    );
  }
}

const scratch = new Uint32Array(2);
const scratchHash = new BigUint64Array(scratch.buffer);
