import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/bulk/batches.ts';
import type { RequestKind } from '../../src/bulk/outcome.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { answered, failedBy, lost, numbered, run, statuses, success } from './bulk-run.ts';

/** A service that refuses each request which holds one of the given records. */
const refusing = (poison: ReadonlySet<number>, refuse: () => ReturnType<typeof answered>) => (batch: Block) =>
  batch.some(({ index }) => poison.has(index)) ? refuse() : answered(success(batch));

describe('records that are there already', () => {
  const taken = (batch: Block, unsettled = false) => ({
    ...answered(Object.fromEntries(batch.map(({ id }) => [id, { success: false, code: 'already-exists' }]))),
    unsettled,
  });
  const [one] = [numbered(1)];

  it('have failed where nothing was sent before', async () => {
    expect((await run({ records: [one] }, (batch) => taken(batch))).items).toMatchObject([
      { status: 'failed', code: 'already-exists' },
    ]);
  });

  it.each([
    ['failed inside the service', [numbered(2)], () => lost('service', 'now')],
    ['was made by a run before this one', [{ again: one }], undefined],
  ])('may be the work of a request that %s', async (_, records, first) => {
    const ran = await run({ records, landedBefore: true }, (batch, sent) =>
      sent === 0 && first ? first() : taken(batch),
    );
    expect(new Set(ran.items.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['unknown outcome_unknown']),
    );
    expect(ran.items[0]?.message).toMatch(/^It exists already; this run may have added it before/);
  });

  it('may be the work of a request that got no answer, while others did', async () => {
    const answers = [answered({ u0: { success: true } }), lost('way', 'now')];
    const ran = await run({ records: [numbered(2)], batchSize: 1 }, (batch, sent) => answers[sent] ?? taken(batch));
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 unknown']);
  });

  it('have arrived if a look finds them as they were sent, and have failed if it finds others', async () => {
    const look = async (records: Block) => {
      expect(records.map(({ id }) => id)).toEqual(['u0', 'u1', 'u2']);
      return new Map([
        ['u0', true],
        ['u1', false],
      ]);
    };
    for (const wanted of ['all', 'exceptions'] as const) {
      const ran = await run({ records: [{ again: numbered(3) }], look, wanted }, (batch) => taken(batch));
      const expected = ['u0 succeeded', 'u1 failed', 'u2 unknown'].slice(wanted === 'all' ? 0 : 1);
      expect(statuses(ran)).toEqual(expected);
    }
  });

  it('may be the work of an attempt that was repeated within a call', async () => {
    const ran = await run({ records: [one] }, (batch) => taken(batch, true));
    expect(ran.items).toMatchObject([{ status: 'unknown' }]);
  });
});

describe('records that a request is refused for', () => {
  it.each([
    ['refused', () => failedBy('refused'), 'failed'],
    ['failed at', () => lost('service', 'now'), 'unknown'],
  ] as const)('are found by cutting up what is %s, and the others land', async (_, refuse, status) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 130 }),
        fc.array(fc.nat(129), { maxLength: 4 }),
        async (size, some) => {
          const poison = new Set(some.filter((index) => index < size));
          const ran = await run(
            { records: [numbered(size)], batchSize: size, landedBefore: true },
            refusing(poison, refuse),
          );
          const expected = numbered(size).map(({ id, index }) => `${id} ${poison.has(index) ? status : 'succeeded'}`);
          expect(statuses(ran)).toEqual(expected);
          expect(ran.requests - 1).toBeLessThanOrEqual(poison.size * 2 * Math.log2(size));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are taken out at once where the service names them', async () => {
    const named = new Map([
      [3, 'no such domain'],
      [7, 'too long'],
    ]);
    const ran = await run({ records: [numbered(10)], batchSize: 10 }, (batch) =>
      batch.length === 10
        ? ({ ...failedBy('refused'), named } as ReturnType<typeof failedBy>)
        : answered(success(batch)),
    );
    expect(ran.requests).toBe(2);
    expect(ran.items.filter(({ status }) => status === 'failed').map(({ message }) => message)).toEqual([
      'no such domain',
      'too long',
    ]);
  });

  it('are not to blame when all of a batch are refused with the same words', async () => {
    const error = new SvcError('invalid_argument', 'Unknown organization.');
    const ran = await run({ records: [numbered(10_000)], batchSize: 100, concurrency: 4 }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return failedBy('refused', error);
    });
    expect(ran.stop).toEqual({ why: 'hopeless', error });
    expect(ran.requests).toBeLessThan(500);
    expect(ran.items.every(({ status }) => status === 'skipped')).toBe(true);
  });

  it('are to blame when their words differ, or others land in between', async () => {
    const words = await run({ records: [numbered(40)], batchSize: 20 }, (batch) =>
      failedBy('refused', new SvcError('invalid_argument', `bad: ${batch[0]?.id}`)),
    );
    expect([words.stop, words.items.length]).toEqual([undefined, 40]);
    const odd = (batch: Block) => batch.some(({ index }) => index % 2 === 1);
    const between = await run({ records: [numbered(400)], batchSize: 20 }, (batch) =>
      odd(batch) ? failedBy('refused') : answered(success(batch)),
    );
    expect(between.stop).toBeUndefined();
    expect(statuses(between).filter((status) => status.endsWith('failed'))).toHaveLength(200);
  });

  it('stop being looked for when the run is stopped: the rest counts as never sent', async () => {
    const controller = new AbortController();
    const ran = await run({ records: [numbered(16)], batchSize: 16, signal: controller.signal }, (batch, index) => {
      if (index === 2) controller.abort();
      return batch.some(({ index: at }) => at === 15) ? failedBy('refused') : answered(success(batch));
    });
    expect(ran.sent).toHaveLength(3);
    const counts = (status: string) => statuses(ran).filter((told) => told.endsWith(status)).length;
    expect([counts('succeeded'), counts('skipped'), counts('failed')]).toEqual([12, 4, 0]);
  });

  it('are sent as parts only where the service failed at the whole', async () => {
    const kinds: RequestKind[] = [];
    await run({ records: [numbered(2)] }, (batch, _, kind) => {
      kinds.push(kind);
      return batch.length > 1 ? lost('service', 'now') : answered(success(batch));
    });
    expect(kinds).toEqual(['new', 'part', 'part']);
  });
});
