import { hashId } from './id-hash.ts';

/** Partitions of the hashes. Sorting one partition at a time needs little additional memory. */
const PARTITIONS = 64;
const HASHES_PER_BLOCK = 1024;

/** Detects IDs that occur more than once. Stores a 64-bit hash, eight bytes, per ID. */
export class RepeatedIdDetector {
  readonly #partitions = Array.from({ length: PARTITIONS }, () => new Partition());

  add(id: string): void {
    hashId(id, scratch, 0);
    const [low = 0, high = 0] = scratch;
    this.#partitions[high % PARTITIONS]?.add(low, high);
  }

  /** Returns each repeated hash once, and releases all hashes. */
  takeRepeated(): IdHashSet {
    return new IdHashSet(this.#partitions.flatMap((partition) => partition.takeRepeated()));
  }
}

class Partition {
  #blocks: Uint32Array[] = [];
  #last = new Uint32Array(0);
  #used = 0;

  add(low: number, high: number): void {
    if (this.#used === this.#last.length) {
      this.#last = new Uint32Array(2 * HASHES_PER_BLOCK);
      this.#blocks.push(this.#last);
      this.#used = 0;
    }
    this.#last[this.#used] = low;
    this.#last[this.#used + 1] = high;
    this.#used += 2;
  }

  takeRepeated(): readonly bigint[] {
    const sorted = new BigUint64Array(Math.max(0, this.#blocks.length - 1) * HASHES_PER_BLOCK + this.#used / 2);
    const halves = new Uint32Array(sorted.buffer);
    for (const [at, block] of this.#blocks.entries()) {
      halves.set(block === this.#last ? block.subarray(0, this.#used) : block, at * 2 * HASHES_PER_BLOCK);
    }
    this.#blocks = [];
    sorted.sort();
    const repeated: bigint[] = [];
    for (let at = 2; at < halves.length; at += 2) {
      if (halves[at] !== halves[at - 2] || halves[at + 1] !== halves[at - 1]) continue;
      const hash = sorted[at / 2] ?? 0n;
      if (repeated.at(-1) !== hash) repeated.push(hash);
    }
    return repeated;
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
