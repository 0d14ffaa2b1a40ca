import type { BitSet } from './bit-set.ts';
import { type DraftRules, drafter } from './draft.ts';
import type { HashSet } from './id-hashes.ts';
import type { RecordInput } from './input.ts';

/** A record as duplicates are told by it. */
export interface Identified {
  readonly id: string;
  readonly index: number;
  /** As messages call it. */
  readonly file: string;
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

/** The records that have an id, valid or not. */
export async function* identified(input: RecordInput, rules: DraftRules): AsyncGenerator<readonly Identified[]> {
  let next = 0;
  for (const file of input.files) {
    const source = await file.open();
    const draft = drafter(source, rules);
    for await (const block of source.blocks) {
      const found: Identified[] = [];
      for (const record of block) {
        const index = next++;
        const { id } = draft(record, index);
        if (typeof id === 'string')
          found.push({ id, index, file: file.name, line: record.line, column: record.column });
      }
      yield found;
    }
  }
}
