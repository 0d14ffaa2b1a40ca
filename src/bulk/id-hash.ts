/**
 * Writes a 64-bit hash of an ID into `halves` at `at`. The hash is stable across runs and machines,
 * because it decides which shard a record belongs to. Different IDs can have the same hash.
 */
export function hashId(id: string, halves: Uint32Array, at: number): void {
  let [low, high] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < id.length; index += 1) {
    const code = id.charCodeAt(index);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  halves[at] = low;
  halves[at + 1] = high;
}

/**
 * One of several shares of an input, for several machines. `part` counts from 1; `of` is the number
 * of shares.
 */
export interface Shard {
  readonly part: number;
  readonly of: number;
}

const scratch = new Uint32Array(2);

export function isInShard(id: string, { part, of }: Shard): boolean {
  hashId(id, scratch, 0);
  return (scratch[1] ?? 0) % of === part - 1;
}
