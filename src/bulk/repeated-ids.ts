import { hashId } from './id-hash.ts';

/** Groups of hashes by their first 6 bits. Each is searched alone, in little memory. */
const GROUPS = 64;
const HASHES_PER_CHUNK = 4096;

/** Hashes of a group: the last 32 bits of each, and the 15 bits before them. */
interface HashChunk {
  readonly low: Uint32Array;
  readonly high: Uint16Array;
}

/** Detects IDs that occur more than once. Stores 47 bits of a 53-bit hash, in six bytes, per ID. */
export class RepeatedIdDetector {
  #groups = createGroups();

  add(id: string): void {
    hashId(id, scratch, 0);
    const [low, high] = [scratch[0] ?? 0, scratch[1] ?? 0];
    const group = this.#groups[high >>> 26] as HashGroup;
    const at = group.size % HASHES_PER_CHUNK;
    if (at === 0)
      group.chunks.push({
        low: new Uint32Array(HASHES_PER_CHUNK),
        high: new Uint16Array(HASHES_PER_CHUNK),
      });
    const chunk = group.chunks.at(-1) as HashChunk;
    chunk.low[at] = low;
    chunk.high[at] = (high >>> 11) & 0x7fff;
    group.size += 1;
  }

  takeRepeated(): IdHashSet {
    const groups = this.#groups;
    this.#groups = createGroups();
    const largest = Math.max(...groups.map(({ size }) => size));
    const table = new Float64Array(2 ** (32 - Math.clz32(largest) + 1));
    return new IdHashSet(
      groups.flatMap((group, number) => [...findRepeated(group, number, table)]),
    );
  }
}

interface HashGroup {
  size: number;
  readonly chunks: HashChunk[];
}

function createGroups(): readonly HashGroup[] {
  return Array.from({ length: GROUPS }, () => ({ size: 0, chunks: [] }));
}

const FREE = -1;

/** @param table memory for a hash table: a power of two, at least twice the size of any group */
function findRepeated(
  { size, chunks }: HashGroup,
  number: number,
  table: Float64Array,
): ReadonlySet<number> {
  const repeated = new Set<number>();
  const mask = table.length - 1;
  table.fill(FREE);
  for (const [chunk, { low, high }] of chunks.entries()) {
    const length = Math.min(HASHES_PER_CHUNK, size - chunk * HASHES_PER_CHUNK);
    for (let at = 0; at < length; at += 1) {
      const hash = joinHash((number << 15) | (high[at] ?? 0), low[at] ?? 0);
      let place = (low[at] ?? 0) & mask;
      while (table[place] !== FREE && table[place] !== hash) place = (place + 1) & mask;
      if (table[place] === hash) repeated.add(hash);
      else table[place] = hash;
    }
  }
  return repeated;
}

function joinHash(high: number, low: number): number {
  return high * 2 ** 32 + low;
}

export class IdHashSet {
  readonly #all: readonly number[];
  readonly #hashes: ReadonlySet<number>;

  constructor(all: readonly number[]) {
    this.#all = all;
    this.#hashes = new Set(all);
  }

  /** Whether the set contains the hash of an ID. Different IDs can have the same hash. */
  has(id: string): boolean {
    hashId(id, scratch, 0);
    return this.#hashes.has(joinHash((scratch[1] ?? 0) >>> 11, scratch[0] ?? 0));
  }

  split(size: number): IdHashSet[] {
    return Array.from(
      { length: Math.ceil(this.#all.length / size) },
      (_, part) => new IdHashSet(this.#all.slice(part * size, (part + 1) * size)),
    );
  }
}

const scratch = new Uint32Array(2);
