import type { BulkRecord } from './batches.ts';
import { isInShard } from './id-hash.ts';
import type { RecordCheck, RecordRules } from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { createFinalizer, createPreparer, UnchangedRecord } from './record-preparation.ts';

/** Consecutive records of an input: those to send, and skipped duplicates. */
export interface CheckedLists {
  readonly records: readonly BulkRecord[];
  readonly skipped: readonly BulkRecord[];
}

export async function* readCheckedRecords(
  input: RecordInput,
  rules: RecordRules,
  check: RecordCheck,
): AsyncGenerator<CheckedLists> {
  const { shard } = rules;
  const hasSkipped = check.skipped > 0;
  let next = 0;
  for (const [at, file] of input.files.entries()) {
    const { first = 0, scan } = check.files[at] ?? {};
    const source = await file.open();
    const [prepare, finalize] = [createPreparer(source, rules), createFinalizer(source, rules)];
    for await (const chunk of source.recordChunks) {
      const [records, skipped]: [BulkRecord[], BulkRecord[]] = [[], []];
      for (const read of chunk) {
        const index = next++;
        const id = scan?.find(read.text, index - first);
        const record =
          id === undefined
            ? finalize(read, prepare(read, index), index)
            : new UnchangedRecord(id, index, read);
        if (shard && !isInShard(record.id, shard)) continue;
        (hasSkipped && check.isSkipped(index) ? skipped : records).push(record);
      }
      yield { records, skipped };
    }
  }
}
