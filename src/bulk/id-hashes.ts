import { hashId } from './id-hash.ts';

/** Hashes that are sorted together: those of one partition, so that sorting needs little room beside them. */
const PARTITIONS = 64;
const BLOCK = 1024;

/** The ids of an input as hashes of 64 bits: what stands in it twice can be told from eight bytes an id. */
export class IdHashes {
  readonly #partitions = Array.from({ length: PARTITIONS }, () => new Partition());

  add(id: string): void {
    hashId(id, scratch, 0);
    const [low = 0, high = 0] = scratch;
    this.#partitions[high % PARTITIONS]?.add(low, high);
  }

  /** The hashes that came more than once, each one time. The ids themselves are let go. */
  takeRepeated(): HashSet {
    return new HashSet(this.#partitions.flatMap((partition) => partition.takeRepeated()));
  }
}

class Partition {
  #blocks: Uint32Array[] = [];
  #last = new Uint32Array(0);
  #used = 0;

  add(low: number, high: number): void {
    if (this.#used === this.#last.length) {
      this.#last = new Uint32Array(2 * BLOCK);
      this.#blocks.push(this.#last);
      this.#used = 0;
    }
    this.#last[this.#used] = low;
    this.#last[this.#used + 1] = high;
    this.#used += 2;
  }

  takeRepeated(): readonly bigint[] {
    const sorted = new BigUint64Array(Math.max(0, this.#blocks.length - 1) * BLOCK + this.#used / 2);
    const halves = new Uint32Array(sorted.buffer);
    for (const [at, block] of this.#blocks.entries()) {
      halves.set(block === this.#last ? block.subarray(0, this.#used) : block, at * 2 * BLOCK);
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

/** Some hashes of ids. */
export class HashSet {
  readonly #all: readonly bigint[];
  readonly #hashes: ReadonlySet<bigint>;

  constructor(all: readonly bigint[]) {
    this.#all = all;
    this.#hashes = new Set(all);
  }

  /** Whether the hash of an id is one of them. Of two ids with one hash both are. */
  has(id: string): boolean {
    hashId(id, scratch, 0);
    return this.#hashes.has(scratchHash[0] ?? 0n);
  }

  /** The same hashes in sets of at most so many. */
  parts(most: number): HashSet[] {
    return Array.from(
      { length: Math.ceil(this.#all.length / most) },
      (_, part) => new HashSet(this.#all.slice(part * most, (part + 1) * most)),
    );
  }
}

const scratch = new Uint32Array(2);
const scratchHash = new BigUint64Array(scratch.buffer);
