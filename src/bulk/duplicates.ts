import type { BitSet } from './bit-set.ts';
import type { HashSet } from './id-hashes.ts';

/** A record as duplicates are told by it. */
export interface Identified {
  readonly id: string;
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

/** Most ids whose records are held side by side; more are looked at in several readings. */
const MOST_AT_ONCE = 250_000;

/** Which of several records with one id stays. */
export interface DuplicateRules {
  readonly duplicates: 'fail' | 'first' | 'last';
  /** The positions of those that are left out. */
  readonly leftOut: BitSet;
  /** Two records that may not both stay, the later one first. */
  readonly clash: (record: Identified, earlier: Identified) => void;
}

/**
 * Looks again at the records whose ids seem to come more than once, because two ids may have one hash, and says which of
 * them clash or are left out.
 */
export async function settleDuplicates(
  read: () => AsyncIterable<readonly Identified[]>,
  repeated: HashSet,
  { duplicates, leftOut, clash }: DuplicateRules,
): Promise<void> {
  for (const part of repeated.parts(MOST_AT_ONCE)) {
    const seen = new Map<string, Identified>();
    for await (const block of read()) {
      for (const record of block) {
        if (!part.has(record.id)) continue;
        const earlier = seen.get(record.id);
        if (!earlier || duplicates === 'last') seen.set(record.id, record);
        if (!earlier) continue;
        if (duplicates === 'fail') clash(record, earlier);
        else leftOut.add(duplicates === 'first' ? record.index : earlier.index);
      }
    }
  }
}
