import { copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecordList, splitIntoBatches } from '../../../src/bulk/batches.ts';
import { rangeOf } from '../../../src/bulk/job-recorder.ts';
import type { JobDescription } from '../../../src/bulk/journal/job-description.ts';
import { Journal } from '../../../src/bulk/journal/journal.ts';
import { planResume } from '../../../src/bulk/resume-plan.ts';
import { codePoint } from '../../code-point.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { numbered } from '../bulk-run.ts';

const JOB: JobDescription = {
  job: '20260131-094500-5f3a9c',
  operation: 'users.add',
  data: { organizationId: 'acme' },
  options: {},
  cwd: '/',
  target: { profile: null, origin: 'https://api.example.test', apiKey: 'key-1' },
  inputs: [
    {
      name: 'users.json',
      first: 0,
      path: '/users.json',
      spooled: false,
      format: 'json',
      bytes: 1,
      sha256: '',
    },
  ],
  records: 0,
  leftOut: 0,
  startedAt: 0,
};

const settled = (
  batch: RecordList,
  items: Parameters<Journal['recordOutcome']>[0]['items'] = [],
) => ({
  range: rangeOf(batch),
  known: [rangeOf(batch)],
  open: [],
  items,
  requests: 1,
  retries: 0,
});
const failed = (at: number) => ({
  at,
  id: `u${at}`,
  line: at + 1,
  status: 'failed' as const,
  message: 'no',
  code: null,
});

async function* blocksOf(records: RecordList, size: number): AsyncGenerator<RecordList> {
  for (let at = 0; at < records.length; at += size) yield records.slice(at, at + size);
}

/** The requests of at most so many records that a resume would make. */
async function requestsOf(
  journal: Journal,
  records: RecordList,
  size = 1_000,
  mayResend = () => true,
) {
  const given: number[] = [];
  const requests: RecordList[] = [];
  const giveUp = async (batch: RecordList) => void given.push(...batch.map(({ index }) => index));
  const portions = planResume(blocksOf(records, 7), journal.sentBatches(), {
    mayResend,
    markUnknown: giveUp,
  });
  for await (const batch of splitIntoBatches(portions, { records: size, characters: 1e9 }))
    requests.push(batch.records);
  return { requests, given };
}

/** Returns planned batches as the positions of their records. */
async function planned(journal: Journal, records: RecordList, mayResend = () => true) {
  const { requests, given } = await requestsOf(journal, records, 1_000, mayResend);
  return { sent: requests.map((batch) => batch.map(({ index }) => index)), given };
}

describe('a journal', () => {
  it(
    'knows which records have no outcome after a crash, and resends exactly those, in any order of events',
    SLOW,
    async () => {
      const steps = fc.array(
        fc.record({
          act: fc.constantFrom('send', 'land', 'lose', 'part', 'crash'),
          pick: fc.nat(),
        }),
        {
          maxLength: 60,
        },
      );
      await fc.assert(
        fc.asyncProperty(
          steps,
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 1, max: 40 }),
          async (script, size, total) => {
            const path = join(await createTemporaryFolder(), 'journal.sqlite');
            const all = numbered(total);
            let journal = await Journal.create({ ...JOB, records: total }, path);
            const done = new Set<number>();
            let toSend: RecordList[] = (await requestsOf(journal, all, size)).requests;
            let flying: RecordList[] = [];
            for (const { act, pick } of script) {
              const [batch] =
                act === 'send'
                  ? toSend.splice(0, 1)
                  : act === 'crash'
                    ? []
                    : flying.splice(pick % (flying.length || 1), 1);
              if (act === 'send' && batch) {
                journal.recordIntents([rangeOf(batch)]);
                flying.push(batch);
              } else if (act === 'land' && batch) {
                journal.recordOutcome(
                  settled(
                    batch,
                    batch.filter(({ index }) => index % 3 === 0).map(({ index }) => failed(index)),
                  ),
                );
                journal.flush();
                for (const { index } of batch) done.add(index);
              } else if (act === 'lose' && batch) {
                journal.recordOutcome({
                  ...settled(batch),
                  known: [],
                  open: [rangeOf(batch)],
                  items: [{ ...failed(batch[0]?.index ?? 0), status: 'open' }],
                });
                journal.flush();
              } else if (act === 'part' && batch) {
                const half = batch.slice(0, Math.ceil(batch.length / 2));
                journal.recordOutcome({ ...settled(batch), known: [rangeOf(half)] });
                journal.flush();
                for (const { index } of half) done.add(index);
              } else if (act === 'crash') {
                // Unflushed changes are lost, as after kill -9. The next process finds a copy of the
                // files.
                journal.close();
                journal = await Journal.open(path);
                journal.verify();
                const open = [...journal.sentBatches()].filter((flight) => !flight.settled);
                // A resumed run may have another batch size.
                ({ requests: toSend } = await requestsOf(journal, all, 1 + (pick % 7)));
                const left = all.map(({ index }) => index).filter((index) => !done.has(index));
                expect(toSend.flatMap((batch) => batch.map(({ index }) => index))).toEqual(left);
                expect(toSend.map(rangeOf)).toEqual(
                  expect.arrayContaining(
                    open.map(({ first, last, count }) => ({ first, last, count })),
                  ),
                );
                flying = [];
              }
            }
            const { succeeded, failed: failures } = journal.counts();
            expect([...done].filter((index) => index % 3 === 0 || true)).toHaveLength(
              succeeded + failures,
            );
            journal.close();
          },
        ),
        { numRuns: repeats(30) },
      );
    },
  );

  it('loses unflushed changes, and keeps those that an intent flushed', async () => {
    const path = join(await createTemporaryFolder(), 'journal.sqlite');
    const [first, second, third] = cut(numbered(6), 2) as [RecordList, RecordList, RecordList];
    const journal = await Journal.create(JOB, path);
    journal.recordIntents([rangeOf(first)]);
    journal.recordOutcome(settled(first));
    journal.recordIntents([rangeOf(second)]);
    journal.recordOutcome(settled(second));
    journal.close();
    const again = await Journal.open(path);
    expect(
      [...again.sentBatches()].map(({ first: at, settled: isSettled }) => [at, isSettled]),
    ).toEqual([
      [0, true],
      [2, false],
    ]);
    expect((await planned(again, numbered(6))).sent).toEqual([
      [2, 3],
      [4, 5],
    ]);
    expect(third).toHaveLength(2);
    again.close();
  });

  it('counts the sends of a batch that is sent again, and forgets its earlier results', async () => {
    const journal = await Journal.create(JOB);
    const batch = numbered(2);
    const range = rangeOf(batch);
    const open = batch.map(({ index }) => ({ ...failed(index), status: 'open' as const }));
    journal.recordIntents([range]);
    journal.recordOutcome({ ...settled(batch, open), known: [], open: [range], retries: 2 });
    journal.recordIntents([range]);
    const sent = { ...range, sends: 2 };
    expect([...journal.sentBatches()]).toEqual([
      { ...sent, settled: false, requests: 1, retries: 2 },
    ]);
    expect([...journal.unsuccessfulRecords()]).toEqual([]);
    journal.recordOutcome({ ...settled(batch), requests: 4, retries: 3 });
    journal.flush();
    journal.flush();
    expect([...journal.sentBatches()]).toEqual([
      { ...sent, settled: true, requests: 5, retries: 5 },
    ]);
    journal.verify();
  });

  it('forgets the results of records that are marked as unsent, and keeps the others', async () => {
    const journal = await Journal.create(JOB);
    const batch = numbered(6);
    journal.recordIntents([rangeOf(batch)]);
    journal.recordOutcome(settled(batch, [0, 1, 2, 3, 4, 5].map(failed)));
    journal.reopen(rangeOf(batch), [rangeOf(batch.slice(1, 3)), rangeOf(batch.slice(4, 5))]);
    journal.flush();
    expect([...journal.unsuccessfulRecords()]).toEqual([1, 2, 4].map(failed));
    expect((await planned(journal, batch)).sent.flat()).toEqual([0, 3, 5]);
    journal.verify();
  });

  it('counts each record and each request once', async () => {
    const journal = await Journal.create(JOB);
    journal.recordIntents([{ first: 0, last: 5, count: 6 }]);
    journal.recordOutcome({
      range: { first: 0, last: 5, count: 6 },
      known: [
        { first: 0, last: 1, count: 2 },
        { first: 3, last: 5, count: 3 },
      ],
      open: [{ first: 2, last: 2, count: 1 }],
      items: [failed(0), { ...failed(3), status: 'unknown' }],
      requests: 3,
      retries: 2,
    });
    const existing = { existing: 1, updated: 0, unchanged: 1 };
    journal.setFact('existing', existing);
    journal.flush();
    expect(journal.counts()).toEqual({
      succeeded: 2,
      failed: 1,
      unknown: 1,
      ...existing,
      open: 1,
      requests: 3,
      retries: 2,
    });
    journal.verify();
  });

  it('reads any number of batches', async () => {
    const journal = await Journal.create(JOB);
    const ranges = numbered(2_001).map((record) => rangeOf([record]));
    journal.recordIntents(ranges);
    expect([...journal.sentBatches()]).toMatchObject(ranges);
  });

  it('keeps nothing of a write that fails', async () => {
    const journal = await Journal.create(JOB);
    journal.recordIntents([rangeOf(numbered(2))]);
    journal.recordOutcome(settled(numbered(2)));
    // JSON has no text for a BigInt.
    journal.setFact('plan', 1n);
    expect(() => journal.flush()).toThrow(expect.objectContaining({ failure: 'local' }));
    expect([...journal.sentBatches()].map((batch) => batch.settled)).toEqual([false]);
  });

  it('marks records unknown that may not be sent again', async () => {
    const journal = await Journal.create(JOB);
    const batches = cut(numbered(12), 3);
    for (const batch of batches.slice(0, 3)) journal.recordIntents([rangeOf(batch)]);
    journal.recordOutcome(settled(batches[1] ?? []));
    journal.flush();
    const { sent, given } = await planned(journal, numbered(12), () => false);
    expect([sent, given]).toEqual([[[9, 10, 11]], [0, 1, 2, 6, 7, 8]]);
  });

  it('keeps texts that are difficult for SQLite and JSON', async () => {
    const journal = await Journal.create(JOB);
    await fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (id, message) => {
        const item = { ...failed(0), id, message, code: '\u0000' };
        journal.recordIntents([{ first: 0, last: 0, count: 1 }]);
        journal.recordOutcome(settled(numbered(1), [item]));
        journal.flush();
        const [kept] = [...journal.unsuccessfulRecords()];
        expect(kept).toEqual({ ...item, id: id.toWellFormed(), message: message.toWellFormed() });
      }),
    );
  });

  it('is readable only by its owner', async () => {
    const path = join(await createTemporaryFolder(), 'journal.sqlite');
    const journal = await Journal.create(JOB, path);
    journal.recordIntents([{ first: 0, last: 0, count: 1 }]);
    for (const file of [path, `${path}-wal`, `${path}-shm`])
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    journal.close();
  });
});

describe('a damaged journal', () => {
  it('never reports an unsettled record as settled, whichever byte changed', SLOW, async () => {
    const path = join(await createTemporaryFolder(), 'journal.sqlite');
    const all = numbered(400);
    const journal = await Journal.create({ ...JOB, records: 400 }, path);
    const done = new Set<number>();
    for (const [at, batch] of cut(all, 4).entries()) {
      journal.recordIntents([rangeOf(batch)]);
      if (at % 5 === 0) continue;
      journal.recordOutcome(settled(batch, at % 3 === 0 ? [failed(batch[1]?.index ?? 0)] : []));
      for (const { index } of batch) done.add(index);
    }
    journal.flush();
    journal.close();
    const sound = await readFile(path);
    const copy = `${path}.copy`;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sound.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const bytes = Buffer.from(sound);
          bytes[at] = (bytes[at] ?? 0) ^ change;
          await writeFile(copy, bytes);
          const unsent = await openJournal(copy, all).catch((error: unknown) => {
            expect(error).toMatchObject({
              failure: 'local',
              message: expect.stringContaining(copy),
            });
            refused += 1;
            return undefined;
          });
          expect(
            all.filter(({ index }) => unsent && !unsent.has(index) && !done.has(index)),
          ).toEqual([]);
        },
      ),
      { numRuns: repeats(125) },
    );
    expect(refused).toBeGreaterThan(repeats(30));
  });

  const DAMAGED = expect.objectContaining({
    failure: 'local',
    message: expect.stringContaining('damaged'),
  });

  it.each([
    [
      'overlap',
      [
        { first: 0, last: 3, count: 4 },
        { first: 3, last: 5, count: 3 },
      ],
    ],
    ['are empty', [{ first: 0, last: 3, count: 0 }]],
    ['have more records than positions', [{ first: 2, last: 3, count: 3 }]],
  ])('is detected if batches %s', async (_, ranges) => {
    const journal = await Journal.create(JOB);
    journal.recordIntents(ranges);
    expect(() => [...journal.sentBatches()]).toThrow(DAMAGED);
    expect(() => journal.verify()).toThrow(DAMAGED);
  });

  const range = { first: 2, last: 5, count: 1 };
  const open = { known: [], open: [range] };

  it.each([
    ['before its batch', [failed(1)], {}],
    ['after all batches', [failed(6)], {}],
    ['too many', [failed(2), failed(3)], {}],
    ['open in a settled batch', [{ ...failed(2), status: 'open' as const }], {}],
    ['settled in an open batch', [failed(2)], open],
  ])('is detected if the result of a record is %s', async (_, items, parts) => {
    const journal = await Journal.create(JOB);
    journal.recordIntents([range]);
    journal.recordOutcome({ ...settled([], items), range, known: [range], ...parts });
    journal.flush();
    expect(() => journal.verify()).toThrow(DAMAGED);
  });

  it.each([
    ['another application', 'pragma application_id = 1', 'damaged'],
    ['another version', 'pragma user_version = 3', 'written by another version of svc'],
    ['a changed batch', 'update flight set settled = 1', 'damaged'],
    ['a changed fact', `update fact set value = '{}'`, 'damaged'],
  ])('is detected by its mark or a checksum: %s', async (_, sql, message) => {
    const path = join(await createTemporaryFolder(), 'journal.sqlite');
    const journal = await Journal.create(JOB, path);
    journal.recordIntents([range]);
    journal.close();
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    await expect(openJournal(path, [])).rejects.toThrow(message);
  });

  it('is detected if it is truncated, empty, or not a journal', async () => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'journal.sqlite');
    const journal = await Journal.create(JOB, path);
    for (const batch of cut(numbered(4000), 4)) journal.recordIntents([rangeOf(batch)]);
    journal.close();
    const sound = await readFile(path);
    for (const bytes of [
      sound.subarray(0, sound.length - 4096),
      Buffer.alloc(0),
      Buffer.from('no journal at all'),
    ]) {
      const copy = join(folder, 'copy');
      await writeFile(copy, bytes);
      await expect(openJournal(copy, [])).rejects.toMatchObject({ failure: 'local' });
    }
    await copyFile(path, join(folder, 'whole'));
    await expect(openJournal(join(folder, 'whole'), [])).resolves.toBeDefined();
  });
});

async function openJournal(path: string, records: RecordList): Promise<ReadonlySet<number>> {
  const journal = await Journal.open(path);
  try {
    journal.verify();
    journal.getFact('job');
    return new Set((await planned(journal, records)).sent.flat());
  } finally {
    journal.close();
  }
}

function cut(records: RecordList, size: number): RecordList[] {
  return Array.from({ length: Math.ceil(records.length / size) }, (_, at) =>
    records.slice(at * size, (at + 1) * size),
  );
}
