import type { BitSet } from './bit-set.ts';
import type { InputFile } from './input-file.ts';
import { SharedLines } from './record-position.ts';
import {
  createPreparer,
  type PreparationRules,
  type PreparedRecord,
} from './record-preparation.ts';
import type { RecordTarget } from './record-targets.ts';
import type { IdHashSet } from './repeated-ids.ts';
import { InputError } from './source/source.ts';

export interface IdentifiedRecord {
  readonly id: string;
  /** Identifies the record among those of all targets. */
  readonly key: string;
  readonly index: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of the record in the file, from 1. Set if other records are on the same line. */
  readonly record?: number;
}

/** Returns a key that tells records with the same ID apart if they go to different targets. */
export function idWithinTarget(id: string, target: RecordTarget | undefined): string {
  return target ? `${target.key}\n${id}` : id;
}

/** Maximum number of IDs to compare in one pass. Larger inputs take several passes. */
const MAX_IDS_PER_PASS = 250_000;

export interface DuplicateResolution {
  readonly duplicates: 'fail' | 'first' | 'last';
  readonly skipped: BitSet;
  readonly reportDuplicate: (record: IdentifiedRecord, earlier: IdentifiedRecord) => void;
}

/**
 * Compares the IDs whose hashes repeat, because different IDs can have the same hash. Reports or
 * skips the actual duplicates.
 */
export async function resolveDuplicates(
  read: () => AsyncIterable<readonly IdentifiedRecord[]>,
  repeated: IdHashSet,
  { duplicates, skipped, reportDuplicate }: DuplicateResolution,
): Promise<void> {
  for (const ids of repeated.split(MAX_IDS_PER_PASS)) {
    const kept = new Map<string, IdentifiedRecord>();
    for await (const records of read()) {
      for (const record of records) {
        if (!ids.has(record.key)) continue;
        const earlier = kept.get(record.key);
        if (!earlier || duplicates === 'last') kept.set(record.key, record);
        if (!earlier) continue;
        if (duplicates === 'fail') reportDuplicate(record, earlier);
        else skipped.add(duplicates === 'first' ? record.index : earlier.index);
      }
    }
  }
}

/**
 * Reads the ID and position of all records that have an ID, valid or not. Skips unreadable records.
 */
export async function* readIdentifiedRecords(
  files: readonly InputFile[],
  rules: PreparationRules,
): AsyncGenerator<readonly IdentifiedRecord[]> {
  let next = 0;
  for (const file of files) {
    try {
      const source = await file.open();
      const prepare = createPreparer(source, rules);
      const lines = new SharedLines();
      for await (const records of source.recordChunks) {
        lines.startChunk(records);
        const identified: IdentifiedRecord[] = [];
        for (const [at, record] of records.entries()) {
          const index = next++;
          const { id, target } = readId(() => prepare(record, index));
          if (typeof id !== 'string') continue;
          identified.push({
            id,
            key: idWithinTarget(id, target),
            index,
            file: file.name,
            ...lines.positionAt(at),
          });
        }
        yield identified;
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
}

function readId(prepare: () => PreparedRecord): Partial<Pick<PreparedRecord, 'id' | 'target'>> {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof InputError) return {};
    throw error;
  }
}
