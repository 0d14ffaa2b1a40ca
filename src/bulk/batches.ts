import type { BulkRecord } from './record.ts';

export type Block = readonly BulkRecord[];

/** How much goes into one request; whichever comes first. */
export interface BatchLimits {
  readonly records: number;
  /** Of JSON text. A single record may be longer. */
  readonly characters: number;
}

/** The records of one request. */
export interface Batch {
  readonly records: Block;
  /** They were sent before, and may have been applied. */
  readonly again: boolean;
}

/** Records on their way into requests: any number of them, or those of one request that is made again as it was. */
export type Portion = Block | { readonly again: Block };

/**
 * Cuts portions into batches, in order. No batch reaches across an empty block, and what comes again is one batch whatever
 * the limits are.
 */
export async function* batches(
  portions: AsyncIterable<Portion> | Iterable<Portion>,
  limits: BatchLimits,
): AsyncGenerator<Batch> {
  let batch: BulkRecord[] = [];
  let characters = 0;
  for await (const portion of portions) {
    const again = 'again' in portion ? portion.again : undefined;
    const block = 'again' in portion ? [] : portion;
    if (block.length === 0 && batch.length > 0) {
      yield { records: batch, again: false };
      batch = [];
      characters = 0;
    }
    if (again) yield { records: again, again: true };
    for (const record of block) {
      const full = batch.length === limits.records || characters + record.json.length > limits.characters;
      if (full && batch.length > 0) {
        yield { records: batch, again: false };
        batch = [];
        characters = 0;
      }
      batch.push(record);
      characters += record.json.length;
    }
  }
  if (batch.length > 0) yield { records: batch, again: false };
}
