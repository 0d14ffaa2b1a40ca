import { hashId } from './id-hash.ts';

/** Groups of hashes by their first 6 bits. Each is sorted alone, in little memory. */
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
    const sorted = new Float64Array(Math.max(...groups.map(({ size }) => size)));
    return new IdHashSet(groups.flatMap((group, number) => findRepeated(group, number, sorted)));
  }
}

interface HashGroup {
  size: number;
  readonly chunks: HashChunk[];
}

function createGroups(): readonly HashGroup[] {
  return Array.from({ length: GROUPS }, () => ({ size: 0, chunks: [] }));
}

/** @param memory room for the hashes of any group */
function findRepeated(
  { size, chunks }: HashGroup,
  number: number,
  memory: Float64Array,
): readonly number[] {
  const hashes = memory.subarray(0, size);
  for (const [chunk, { low, high }] of chunks.entries()) {
    const start = chunk * HASHES_PER_CHUNK;
    for (let at = 0; at < HASHES_PER_CHUNK && start + at < size; at += 1)
      hashes[start + at] = joinHash((number << 15) | (high[at] ?? 0), low[at] ?? 0);
  }
  hashes.sort();
  const repeated: number[] = [];
  for (let at = 1; at < size; at += 1) {
    const hash = hashes[at] ?? 0;
    if (hash === hashes[at - 1] && hash !== repeated.at(-1)) repeated.push(hash);
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
