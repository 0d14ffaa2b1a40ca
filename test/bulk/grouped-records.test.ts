import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PendingRecords, type RecordList, splitIntoBatches } from '../../src/bulk/batches.ts';
import { type GroupedRecords, groupIfMixed } from '../../src/bulk/grouped-records.ts';
import { rangeOf } from '../../src/bulk/job-recorder.ts';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import { openInput } from '../../src/bulk/record-input.ts';
import { createRecordLocator } from '../../src/bulk/record-position.ts';
import { RecordTargets } from '../../src/bulk/record-targets.ts';
import { planResume } from '../../src/bulk/resume-plan.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { users } from '../../src/catalog/users.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const fields = bulkFieldsOf(users['users.add']);
const { signal } = new AbortController();

interface Target {
  readonly organizationId: string;
  readonly documentId?: string;
}

/** Groups users of the given targets, split into files. */
async function group(targets: readonly Target[], split = targets.length, runSize = 3) {
  const folder = await createTemporaryFolder();
  const lines = targets.map((target, at) => JSON.stringify({ userId: `u${at}`, ...target }));
  const parts = split < lines.length ? [lines.slice(0, split), lines.slice(split)] : [lines];
  const files = parts.map((_, at) => ({
    file: join(folder, `${at}.ndjson`),
    name: `${at}.ndjson`,
  }));
  for (const [at, part] of parts.entries()) await writeFile(files[at]?.file ?? '', part.join('\n'));
  const input = await openInput({
    ...fields,
    files,
    cwd: '/',
    stdin: { stream: Readable.from([]) },
    signal,
    spool: '',
  });
  const rules = {
    fields,
    shared: {},
    targets: new RecordTargets(fields, {}),
    duplicates: 'fail',
    generateId: String,
  } as const;
  const check = await checkRecords(input, rules, signal);
  expect(check.diagnostics).toEqual([]);
  const path = join(folder, 'grouped.sqlite');
  const grouped = await groupIfMixed(input, rules, check, signal, path, runSize);
  return {
    grouped,
    path,
    locate: createRecordLocator(
      files.map(({ name }, at) => ({ name, first: check.files[at]?.first ?? 0 })),
    ),
  };
}

async function* recordsOf(grouped: GroupedRecords): AsyncGenerator<RecordList> {
  for await (const { records } of grouped.read()) yield records;
}

async function batchesOf(pending: AsyncIterable<PendingRecords>, records: number) {
  return Array.fromAsync(splitIntoBatches(pending, { records, characters: 1e6 }));
}

const keyOf = ({ organizationId, documentId }: Target) =>
  JSON.stringify([organizationId, documentId]);
const target: fc.Arbitrary<Target> = fc.record(
  {
    organizationId: fc.constantFrom('acme', 'a', 'é" \\n', '\u{1f600}'),
    documentId: fc.constantFrom('d1', 'd2'),
  },
  { requiredKeys: ['organizationId'] },
);
/** Targets that are mixed: the first one comes again. */
const mixedTargets = fc.array(target, { minLength: 1, maxLength: 40 }).map((list): Target[] => {
  const other = { organizationId: 'other' };
  return [other, ...list, other, ...list, other];
});

const small = fc.integer({ min: 1, max: 9 });

describe('records that name mixed targets', () => {
  it(
    'are sent once each, in as few requests as possible, in the order of each target',
    SLOW,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          mixedTargets,
          small,
          fc.nat(),
          small,
          async (targets, size, split, runSize) => {
            const { grouped, path, locate } = await group(
              targets,
              1 + (split % targets.length),
              runSize,
            );
            if (!grouped) return expect.fail();
            const batches = await batchesOf(recordsOf(grouped), size);
            const indexes = batches.flatMap(({ records }) => records.map(({ index }) => index));
            expect(indexes).toEqual(targets.map((_, at) => at));
            const counts = Map.groupBy(targets, keyOf);
            expect(batches.length).toBe(
              [...counts.values()].reduce((sum, { length }) => sum + Math.ceil(length / size), 0),
            );
            const first = split % targets.length;
            for (const { records } of batches) {
              const numbers = records.map(({ id }) => Number(id.slice(1)));
              expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
              for (const [at, { index, line, json, text, target: own }] of records.entries()) {
                const number = numbers[at] ?? 0;
                expect(own?.data).toEqual(targets[number]);
                expect(JSON.parse(json)).toEqual({ userId: `u${number}` });
                expect(JSON.parse(text)).toEqual({ userId: `u${number}`, ...targets[number] });
                const [file, inFile] =
                  number <= first ? ['0.ndjson', number + 1] : ['1.ndjson', number - first];
                expect(locate(index, line)).toEqual(
                  first + 1 < targets.length ? { file, line: inFile } : { line: inFile },
                );
              }
            }
            await expect(stat(path)).rejects.toThrow('ENOENT');
            grouped.close();
          },
        ),
        { numRuns: repeats(24) },
      );
    },
  );

  it(
    'are applied once if the job is killed at any time, except for requests in flight',
    SLOW,
    async () => {
      const kills = fc.array(fc.record({ after: fc.nat({ max: 12 }), lost: fc.nat({ max: 3 }) }), {
        maxLength: 6,
      });
      await fc.assert(
        fc.asyncProperty(mixedTargets, small, kills, async (targets, size, stops) => {
          const journal = await Journal.create({} as Parameters<typeof Journal.create>[0]);
          const applied = new Map<string, number>();
          let inFlight = 0;
          for (const { after, lost } of [...stops, { after: Number.POSITIVE_INFINITY, lost: 0 }]) {
            // Each run groups the input again, like a new process.
            const { grouped } = await group(targets);
            if (!grouped) return expect.fail();
            const rules = { mayResend: () => true, markUnknown: async () => expect.fail() };
            const pending = planResume(recordsOf(grouped), journal.sentBatches(), rules);
            let sent = 0;
            for await (const { records } of splitIntoBatches(pending, {
              records: size,
              characters: 1e6,
            })) {
              if (sent >= after + lost) break;
              sent += 1;
              journal.recordIntents([rangeOf(records)]);
              for (const { id, target: own } of records) {
                const key = `${own?.key} ${id}`;
                applied.set(key, (applied.get(key) ?? 0) + 1);
              }
              if (sent > after) inFlight += records.length;
              else {
                const range = rangeOf(records);
                journal.recordOutcome({
                  range,
                  known: [range],
                  open: [],
                  items: [],
                  requests: 1,
                  retries: 0,
                });
                journal.flush();
              }
            }
            grouped.close();
          }
          const repeats = [...applied.values()].reduce((sum, times) => sum + times - 1, 0);
          expect(applied.size).toBe(targets.length);
          expect(repeats).toBe(inFlight);
          expect(journal.counts()).toMatchObject({ succeeded: targets.length, open: 0 });
          journal.close();
        }),
        { numRuns: repeats(15) },
      );
    },
  );

  it('are not copied if their order needs few more requests', async () => {
    const sorted = ['a', 'a', 'b', 'c', 'c', 'c'].map((organizationId) => ({ organizationId }));
    expect((await group(sorted)).grouped).toBeUndefined();
  });
});
