import type { BitSet } from './bit-set.ts';
import type { InputFile } from './input-file.ts';
import { createPreparer, type PreparationRules, type PreparedRecord } from './record-preparation.ts';
import type { IdHashSet } from './repeated-ids.ts';
import { SharedLines } from './shared-lines.ts';
import { InputError } from './source/source.ts';

export interface IdentifiedRecord {
  readonly id: string;
  readonly index: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of the record in the file, from 1. Set if other records are on the same line. */
  readonly record?: number;
}

/** Maximum number of IDs to compare in one pass. Larger inputs take several passes. */
const MAX_IDS_PER_PASS = 250_000;

export interface DuplicateResolution {
  readonly duplicates: 'fail' | 'first' | 'last';
  readonly skipped: BitSet;
  readonly reportDuplicate: (record: IdentifiedRecord, earlier: IdentifiedRecord) => void;
}

/** Compares the IDs whose hashes repeat, because different IDs can have the same hash. Reports or skips the actual duplicates. */
export async function resolveDuplicates(
  read: () => AsyncIterable<readonly IdentifiedRecord[]>,
  repeated: IdHashSet,
  { duplicates, skipped, reportDuplicate }: DuplicateResolution,
): Promise<void> {
  for (const ids of repeated.split(MAX_IDS_PER_PASS)) {
    const kept = new Map<string, IdentifiedRecord>();
    for await (const records of read()) {
      for (const record of records) {
        if (!ids.has(record.id)) continue;
        const earlier = kept.get(record.id);
        if (!earlier || duplicates === 'last') kept.set(record.id, record);
        if (!earlier) continue;
        if (duplicates === 'fail') reportDuplicate(record, earlier);
        else skipped.add(duplicates === 'first' ? record.index : earlier.index);
      }
    }
  }
}

/** Reads the ID and position of all records that have an ID, valid or not. Skips unreadable records. */
export async function* readIdentifiedRecords(
  files: readonly InputFile[],
  rules: PreparationRules,
): AsyncGenerator<readonly IdentifiedRecord[]> {
  let next = 0;
  for (const file of files) {
    const source = await file.open();
    const prepare = createPreparer(source, rules);
    const lines = new SharedLines();
    try {
      for await (const records of source.recordChunks) {
        lines.startChunk(records);
        const identified: IdentifiedRecord[] = [];
        for (const [at, record] of records.entries()) {
          const index = next++;
          const id = readId(() => prepare(record, index));
          if (typeof id === 'string') identified.push({ id, index, file: file.name, ...lines.positionAt(at) });
        }
        yield identified;
      }
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
  }
}

function readId(prepare: () => PreparedRecord): unknown {
  try {
    return prepare().id;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
