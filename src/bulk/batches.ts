import type { BulkRecord } from './record.ts';

export type Block = readonly BulkRecord[];

/** How much goes into one request; whichever comes first. */
export interface BatchLimits {
  readonly records: number;
  /** Of JSON text. A single record may be longer. */
  readonly characters: number;
}

/** Cuts blocks of any size into batches, in order. No batch reaches across an empty block. */
export async function* batches(
  blocks: AsyncIterable<Block> | Iterable<Block>,
  limits: BatchLimits,
): AsyncGenerator<Block> {
  let batch: BulkRecord[] = [];
  let characters = 0;
  for await (const block of blocks) {
    if (block.length === 0 && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    for (const record of block) {
      const full = batch.length === limits.records || characters + record.json.length > limits.characters;
      if (full && batch.length > 0) {
        yield batch;
        batch = [];
        characters = 0;
      }
      batch.push(record);
      characters += record.json.length;
    }
  }
  if (batch.length > 0) yield batch;
}
