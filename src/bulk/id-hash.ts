/**
 * 64 bits of an id as two halves, written into `halves` at `at`. Stable over runs and machines, because shards are told
 * by it; no secret, so that whoever relies on two ids being one compares the ids themselves.
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

/** One of several machines that share an input: the `part`th `of` so many, counted from 1. */
export interface Shard {
  readonly part: number;
  readonly of: number;
}

const scratch = new Uint32Array(2);

/** Whether a record belongs to a shard; each id belongs to exactly one. */
export function isInShard(id: string, { part, of }: Shard): boolean {
  hashId(id, scratch, 0);
  return (scratch[1] ?? 0) % of === part - 1;
}
