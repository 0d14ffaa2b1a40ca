import { hashId } from './id-hash.ts';

const FIRST_HASHES = 1024;

/** Detects IDs that occur more than once. Stores a 64-bit hash, eight bytes, per ID. */
export class RepeatedIdDetector {
  #halves = new Uint32Array(2 * FIRST_HASHES);
  #used = 0;

  add(id: string): void {
    if (this.#used === this.#halves.length)
      this.#halves = new Uint32Array(this.#halves.buffer.transfer(8 * this.#used));
    hashId(id, this.#halves, this.#used);
    this.#used += 2;
  }

  takeRepeated(): IdHashSet {
    const halves = this.#halves.subarray(0, this.#used);
    const sorted = new BigUint64Array(halves.buffer, 0, halves.length / 2).sort();
    this.#halves = new Uint32Array(2 * FIRST_HASHES);
    this.#used = 0;
    const repeated: bigint[] = [];
    for (let at = 2; at < halves.length; at += 2) {
      if (halves[at] !== halves[at - 2] || halves[at + 1] !== halves[at - 1]) continue;
      const hash = sorted[at / 2] ?? 0n;
      if (repeated.at(-1) !== hash) repeated.push(hash);
    }
    return new IdHashSet(repeated);
  }
}

export class IdHashSet {
  readonly #all: readonly bigint[];
  readonly #hashes: ReadonlySet<bigint>;

  constructor(all: readonly bigint[]) {
    this.#all = all;
    this.#hashes = new Set(all);
  }

  /** Whether the set contains the hash of an ID. Different IDs can have the same hash. */
  has(id: string): boolean {
    hashId(id, scratch, 0);
    return this.#hashes.has(scratchHash[0] ?? 0n);
  }

  split(size: number): IdHashSet[] {
    return Array.from(
      { length: Math.ceil(this.#all.length / size) },
      (_, part) => new IdHashSet(this.#all.slice(part * size, (part + 1) * size)),
    );
  }
}

const scratch = new Uint32Array(2);
const scratchHash = new BigUint64Array(scratch.buffer);
