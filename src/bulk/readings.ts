import { drafter, finisher, UnchangedRecord } from './draft.ts';
import { isInShard } from './id-hash.ts';
import type { RecordInput } from './input.ts';
import type { BulkRecord } from './record.ts';
import type { RecordRules, Survey } from './survey.ts';

/** The second reading: what is sent, in blocks, and what is left out as a duplicate. */
export async function* readChecked(
  input: RecordInput,
  rules: RecordRules,
  survey: Survey,
): AsyncGenerator<{ readonly records: readonly BulkRecord[]; readonly leftOut: readonly BulkRecord[] }> {
  for await (const block of finished(input, rules, survey)) {
    const own = rules.shard ? block.filter(({ id }) => rules.shard && isInShard(id, rules.shard)) : block;
    if (survey.leftOut === 0) yield { records: own, leftOut: [] };
    else {
      const [records, leftOut]: [BulkRecord[], BulkRecord[]] = [[], []];
      for (const record of own) (survey.isLeftOut(record.index) ? leftOut : records).push(record);
      yield { records, leftOut };
    }
  }
}

/** All records of an input that was found to be valid. */
async function* finished(
  input: RecordInput,
  rules: RecordRules,
  survey: Survey,
): AsyncGenerator<readonly BulkRecord[]> {
  let next = 0;
  for (const [at, file] of input.files.entries()) {
    const { first = 0, scan } = survey.files[at] ?? {};
    const source = await file.open();
    const [draft, finish] = [drafter(source, rules), finisher(source, rules)];
    for await (const block of source.blocks) {
      const records: BulkRecord[] = [];
      for (const record of block) {
        const index = next++;
        const id = scan?.find(record.text, index - first);
        records.push(
          id === undefined ? finish(record, draft(record, index), index) : new UnchangedRecord(id, index, record),
        );
      }
      yield records;
    }
  }
}
