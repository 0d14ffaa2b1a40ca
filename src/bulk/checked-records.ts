import type { BulkRecord } from './bulk-record.ts';
import { isInShard } from './id-hash.ts';
import type { RecordCheck, RecordRules } from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { createFinalizer, createPreparer, UnchangedRecord } from './record-preparation.ts';

export async function* readCheckedRecords(
  input: RecordInput,
  rules: RecordRules,
  check: RecordCheck,
): AsyncGenerator<{ readonly records: readonly BulkRecord[]; readonly skipped: readonly BulkRecord[] }> {
  for await (const chunk of readFinalizedRecords(input, rules, check)) {
    const inShard = rules.shard ? chunk.filter(({ id }) => rules.shard && isInShard(id, rules.shard)) : chunk;
    if (check.skipped === 0) yield { records: inShard, skipped: [] };
    else {
      const [records, skipped]: [BulkRecord[], BulkRecord[]] = [[], []];
      for (const record of inShard) (check.isSkipped(record.index) ? skipped : records).push(record);
      yield { records, skipped };
    }
  }
}

async function* readFinalizedRecords(
  input: RecordInput,
  rules: RecordRules,
  check: RecordCheck,
): AsyncGenerator<readonly BulkRecord[]> {
  let next = 0;
  for (const [at, file] of input.files.entries()) {
    const { first = 0, scan } = check.files[at] ?? {};
    const source = await file.open();
    const [prepare, finalize] = [createPreparer(source, rules), createFinalizer(source, rules)];
    for await (const chunk of source.recordChunks) {
      const records: BulkRecord[] = [];
      for (const record of chunk) {
        const index = next++;
        const id = scan?.find(record.text, index - first);
        records.push(
          id === undefined ? finalize(record, prepare(record, index), index) : new UnchangedRecord(id, index, record),
        );
      }
      yield records;
    }
  }
}
