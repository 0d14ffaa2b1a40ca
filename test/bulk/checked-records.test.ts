import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCheckedRecords } from '../../src/bulk/checked-records.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import type { RecordRules } from '../../src/bulk/record-checker.ts';
import { openInput } from '../../src/bulk/record-input.ts';
import { IdHashSet, RepeatedIdDetector } from '../../src/bulk/repeated-ids.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import type { InputFormat } from '../../src/catalog/bulk-options.ts';
import { users } from '../../src/catalog/users.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { chunkSize } from './source/read-records.ts';

const fields = bulkFieldsOf(users['users.add']);

/** Both readings of users that come through a pipe. */
async function read(
  text: string,
  format: InputFormat,
  size: number,
  given: Partial<RecordRules> = {},
) {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const { signal } = new AbortController();
  const [stdin, spool] = [Readable.from(chunks), join(await createTemporaryFolder(), 'spool')];
  const layout = {
    listName: 'users',
    knownFields: fields.knownFields,
    targetFields: fields.targetFields,
    id: fields.id,
  };
  const input = await openInput({
    files: [{ file: '-', format }],
    cwd: '/',
    stdin: { stream: stdin },
    signal,
    spool,
    ...layout,
  });
  const rules: RecordRules = {
    fields,
    shared: {},
    duplicates: 'fail',
    generateId: String,
    ...given,
  };
  const surveyed = await checkRecords(input, rules, signal);
  const records = [];
  for await (const block of readCheckedRecords(input, rules, surveyed))
    records.push(...block.records);
  return { surveyed, records };
}

/** Records whose text holds what looks like their id, before it or in it. */
const tricky = fc.record({
  before: fc.constantFrom('', '"owner":{"userId":"x"},', '"note":"\\"userId\\":\\"y\\"",'),
  id: fc.string({ unit: 'grapheme', minLength: 1 }),
  space: fc.constantFrom('', ' ', '\t'),
  after: fc.constantFrom('', ',"name":"userId"', ',"list":[{"userId":"z"}]'),
});

describe('the second reading', () => {
  it('returns the same IDs as parsing, and the text to send', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tricky, { minLength: 1, maxLength: 6 }),
        fc.constantFrom('json' as const, 'ndjson' as const),
        chunkSize,
        async (list, format, size) => {
          const texts = list.map(
            ({ before, id, space, after }) =>
              `{${before}"userId"${space}:${space}${JSON.stringify(id)}${after}}`,
          );
          const text = format === 'json' ? `[${texts.join(', ')}]` : texts.join('\n');
          const { surveyed, records } = await read(text, format, size, { duplicates: 'last' });
          const parsed = texts.map((one) => JSON.parse(one));
          const ids = parsed.map(({ userId }) => userId);
          const sent = parsed.filter(({ userId }, at) => ids.lastIndexOf(userId) === at);
          expect(records.map(({ id, value }) => [id, value])).toEqual(
            sent.map((one) => [one.userId, one]),
          );
          expect(records.map(({ json }) => JSON.parse(json))).toEqual(sent);
          expect(records.map(({ text: own }) => own)).toEqual(records.map(({ json }) => json));
          expect([surveyed.records, surveyed.skipped]).toEqual([
            sent.length,
            texts.length - sent.length,
          ]);
          expect(records.map(({ index }) => index)).toEqual(
            sent.map((one) => ids.lastIndexOf(one.userId)),
          );
        },
      ),
      { numRuns: repeats(40) },
    );
  });

  it('sends CSV and YAML records as JSON', async () => {
    const csv = await read('userId,name\n0123,\n1e5,"x\ny"\n', 'csv', 5);
    expect(csv.records.map(({ json, text, line }) => [json, text, line])).toEqual([
      ['{"userId":"0123"}', '0123,', 2],
      ['{"userId":"1e5","name":"x\\ny"}', '1e5,"x\ny"', 3],
    ]);
    const yaml = await read(
      '- userId: 0123\n- userId: no\n  name: ~\n- userId: 1e5\n  name: 7\n',
      'yaml',
      5,
    );
    expect(yaml.records.map(({ json, text, line }) => [json, text, line])).toEqual([
      ['{"userId":"0123"}', '- userId: "0123"', 1],
      ['{"userId":"no"}', '- userId: "no"\n  name: null', 2],
      ['{"userId":"1e5","name":"7"}', '- userId: 1e5\n  name: 7', 4],
    ]);
  });
});

describe('repeated IDs', () => {
  it('are all detected by their hashes', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 60 }), (ids) => {
        const hashes = new RepeatedIdDetector();
        for (const id of ids) hashes.add(id);
        const repeated = hashes.takeRepeated();
        for (const id of ids)
          if (ids.indexOf(id) !== ids.lastIndexOf(id)) expect(repeated.has(id)).toBe(true);
      }),
    );
  });

  it('are few if all IDs differ', SLOW, () => {
    const hashes = new RepeatedIdDetector();
    for (let at = 0; at < 200_000; at += 1) hashes.add(`user-${at}`);
    expect(hashes.takeRepeated().split(10)).toEqual([]);
  });

  it('take six bytes of memory per ID', SLOW, () => {
    const before = process.memoryUsage().arrayBuffers;
    const hashes = new RepeatedIdDetector();
    for (let at = 0; at < 1_000_000; at += 1) hashes.add(`user-${at}`);
    const bytes = process.memoryUsage().arrayBuffers - before;
    expect(bytes / 1_000_000).toBeLessThan(7.5);
    hashes.add('user-123456');
    hashes.add('user-999999');
    const repeated = hashes.takeRepeated();
    expect(repeated.split(1)).toHaveLength(2);
    expect(repeated.has('user-123456') && repeated.has('user-999999')).toBe(true);
  });

  it('are compared in several passes if there are many', () => {
    const parts = new IdHashSet(Array.from({ length: 25 }, (_, at) => at)).split(10);
    expect(parts).toHaveLength(3);
  });
});
