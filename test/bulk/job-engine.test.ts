import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BatchRequestOutcome } from '../../src/bulk/batch-request.ts';
import type { RecordList } from '../../src/bulk/batches.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { SLOW } from '../slow.ts';
import {
  answered,
  failedBy,
  numbered,
  recordsOf,
  run,
  statuses,
  success,
  unanswered,
} from './bulk-run.ts';

describe('sending in batches', () => {
  it(
    'splits lists of any size into full batches, in order, and ends a batch at an empty list',
    SLOW,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(5)),
          fc.integer({ min: 1, max: 4 }),
          async (sizes, batchSize) => {
            const all = numbered(sizes.reduce((sum, size) => sum + size, 0));
            const rest = [...all];
            const blocks = sizes.map((size) => rest.splice(0, size));
            const { sent, items } = await run({ records: blocks, batchSize }, (batch) =>
              answered(success(batch)),
            );
            expect(sent.flat()).toEqual(all.map(({ id }) => id));
            expect(items.map(({ record }) => record.id)).toEqual(sent.flat());
            const ends = sizes.map((_, at) =>
              sizes.slice(0, at).reduce((sum, size) => sum + size, 0),
            );
            const cuts = new Set(ends.filter((_, at) => sizes[at] === 0));
            let at = 0;
            for (const batch of sent) {
              const within = [...cuts].filter((cut) => cut > at && cut < at + batch.length);
              expect(within).toEqual([]);
              at += batch.length;
              expect(batch.length === batchSize || at === all.length || cuts.has(at)).toBe(true);
            }
          },
        ),
      );
    },
  );

  it('limits the size of a request, except for a single large record', async () => {
    const [small, large] = [recordsOf(['a', 'b', 'c']), recordsOf(['x'.repeat(2e6)])];
    const { sent } = await run({ records: [small, large, small], batchSize: 9 }, (batch) =>
      answered(success(batch)),
    );
    expect(sent.map(({ length }) => length)).toEqual([3, 1, 3]);
  });

  it('keeps exactly as many batches in flight as allowed', async () => {
    let inFlight = 0;
    let most = 0;
    await run({ records: [numbered(20)], concurrency: 3 }, async (batch) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return answered(success(batch));
    });
    expect(most).toBe(3);
  });

  it('sends a record after the batch with its parent was answered', async () => {
    const records = recordsOf(['a', 'b', 'a1', 'b1', 'a2', 'c']);
    const parents = ['root', 'root', 'a', 'b', 'a1', 'root'];
    const withParents = records.map((record, at) => ({
      ...record,
      value: { id: record.id, parent: parents[at] },
    }));
    const answeredIds = new Set<string>();
    const early: string[] = [];
    let most = 0;
    let inFlight = 0;
    await run(
      { records: [withParents], batchSize: 1, concurrency: 4, parent: 'parent' },
      async (batch) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        for (const { id, index } of batch) {
          const parent = parents[index] ?? '';
          if (parent !== 'root' && !answeredIds.has(parent)) early.push(id);
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
        for (const { id } of batch) answeredIds.add(id);
        inFlight -= 1;
        return answered(success(batch));
      },
    );
    expect(early).toEqual([]);
    expect(most).toBeGreaterThan(1);
    expect([...answeredIds].toSorted()).toEqual(['a', 'a1', 'a2', 'b', 'b1', 'c']);
  });

  it('keeps as many batches in flight as allowed while each is split', async () => {
    let open = 0;
    let most = 0;
    const onIntent = () => {
      open += 1;
      most = Math.max(most, open);
    };
    const records = [numbered(200)];
    const landed = new Set<string>();
    await run({ records, batchSize: 20, concurrency: 3, onIntent }, async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (batch.some(({ index }) => index % 20 === 7) && batch.length > 1)
        return failedBy('refused');
      for (const { id, index } of batch) {
        landed.add(id);
        if ([...Array(20).keys()].every((at) => landed.has(`u${index - (index % 20) + at}`)))
          open -= 1;
      }
      return answered(success(batch));
    });
    expect(most).toBe(3);
  });
});

describe('every record has at most one result', () => {
  const outcome = fc.oneof(
    fc.record({
      kind: fc.constant('answered' as const),
      reply: fc.oneof(fc.constantFrom('all', 'none', 'list', 'internal'), fc.jsonValue()),
    }),
    fc.record({
      kind: fc.constantFrom(
        'refused' as const,
        'unknown' as const,
        'divisible' as const,
        'fatal' as const,
      ),
    }),
  );
  const scripted = (
    script: fc.Memo<never> | readonly unknown[],
    batch: RecordList,
    index: number,
  ): BatchRequestOutcome => {
    const step = (script as readonly { kind: string; reply?: unknown }[])[
      index % (script as readonly unknown[]).length
    ];
    switch (step?.kind) {
      case 'answered': {
        const internal = batch.map(() => ({ success: false, code: 'internal' }));
        const list = batch.map(() => ({ success: true }));
        const replies: Readonly<Record<string, unknown>> = {
          all: success(batch),
          none: {},
          list,
          internal,
        };
        const isNamed = typeof step.reply === 'string' && Object.hasOwn(replies, step.reply);
        return answered(isNamed ? replies[step.reply as string] : step.reply);
      }
      case 'refused':
      case 'fatal':
        return failedBy(step.kind);
      case 'divisible':
        return unanswered('service', 'now');
      default:
        return unanswered('connection', 'now');
    }
  };

  it('for any responses in any order, and is never in two requests at once', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string(), { maxLength: 30 }),
        fc.array(outcome, { minLength: 1 }),
        fc.record({
          batchSize: fc.integer({ min: 1, max: 5 }),
          concurrency: fc.integer({ min: 1, max: 5 }),
        }),
        fc.option(fc.nat(5), { nil: undefined }),
        fc.scheduler(),
        async (ids, script, sizes, stopAtErrors, scheduler) => {
          const inFlight = new Set<string>();
          const answer = scheduler.scheduleFunction(async (batch: RecordList, index: number) =>
            scripted(script, batch, index),
          );
          const send = async (batch: RecordList, index: number) => {
            for (const { id } of batch) {
              expect(inFlight.has(id)).toBe(false);
              inFlight.add(id);
            }
            const came = await answer(batch, index);
            for (const { id } of batch) inFlight.delete(id);
            return came;
          };
          const job = {
            records: [recordsOf(ids)],
            ...sizes,
            ...(stopAtErrors !== undefined && { stopAtErrors }),
          };
          const { items, stop } = await scheduler.waitFor(run(job, send));
          const settled = items.map(({ record }) => record.id);
          expect(new Set(settled).size).toBe(settled.length);
          if (!stop) expect(settled.toSorted()).toEqual(ids.toSorted());
        },
      ),
    );
  });
});

describe('the results in a response', () => {
  it('treat only a literal true as success, and a missing record as unknown', async () => {
    const records = recordsOf(['a', 'b', 'c', 'd', 'e']);
    const reply = {
      a: { success: true },
      b: { success: 'true' },
      c: { success: 1 },
      d: { success: false, message: 'no', code: 'not-found' },
    };
    const ran = await run({ records: [records], batchSize: 5 }, () => answered(reply));
    expect(statuses(ran)).toEqual(['a succeeded', 'b failed', 'c failed', 'd failed', 'e unknown']);
    expect(ran.items[3]).toMatchObject({ message: 'no', code: 'not-found' });
    const exceptions = await run({ records: [records], batchSize: 5, reported: 'exceptions' }, () =>
      answered(reply),
    );
    expect(statuses(exceptions)).toEqual(['b failed', 'c failed', 'd failed', 'e unknown']);
  });

  it('are read in the order of the request if they are a list', async () => {
    const ran = await run({ records: [numbered(2)] }, () =>
      answered([{ success: false }, { success: true }]),
    );
    expect(statuses(ran)).toEqual(['u0 failed', 'u1 succeeded']);
  });

  it('can have IDs such as __proto__ and numbers', async () => {
    const reply = JSON.parse(
      '{"10":{"success":true},"9":{"success":false},"__proto__":{"success":true},"constructor":{"success":true}}',
    );
    const ran = await run(
      { records: [recordsOf(['9', '__proto__', '10', 'constructor', 'toString'])], batchSize: 9 },
      () => answered(reply),
    );
    expect(statuses(ran)).toEqual([
      '9 failed',
      '__proto__ succeeded',
      '10 succeeded',
      'constructor succeeded',
      'toString unknown',
    ]);
  });

  it('report IDs that were not sent', async () => {
    const { unexpectedIds } = await run({ records: [numbered(1)] }, () =>
      answered({ u0: { success: true }, x: { success: true } }),
    );
    expect(unexpectedIds).toEqual(['x']);
  });

  it('retry only internal errors, a limited number of times', async () => {
    const reply = (batch: RecordList) => [
      ...batch.map(({ id }) => ({
        success: false,
        code: id === 'u0' ? 'already-exists' : 'internal',
      })),
    ];
    const ran = await run({ records: [numbered(3)], batchSize: 3 }, (batch, index) =>
      answered(
        index === 1 ? [{ success: true }, { success: false, code: 'internal' }] : reply(batch),
      ),
    );
    expect(ran.sent).toEqual([['u0', 'u1', 'u2'], ['u1', 'u2'], ['u2']]);
    expect(statuses(ran)).toEqual(['u0 failed', 'u1 succeeded', 'u2 failed']);
    expect(ran.pauses).toEqual([1, 2]);
  });

  it.each([
    ['refused', failedBy('refused'), 'failed'],
    ['not answered', unanswered('service', 'now'), 'unknown'],
    [
      'answered with one result',
      { ...answered({ success: true }), kind: 'answered_together' } as BatchRequestOutcome,
      'succeeded',
    ],
  ])('of records whose retry is %s', async (_, retry, expected) => {
    const ran = await run({ records: [numbered(2)] }, (batch, sent) =>
      sent === 0 ? answered(batch.map(() => ({ success: false, code: 'internal' }))) : retry,
    );
    expect(statuses(ran)).toEqual([`u0 ${expected}`, `u1 ${expected}`]);
  });
});

describe('stopping', () => {
  it('happens after the allowed number of errors', async () => {
    const ran = await run({ records: [numbered(8)], stopAtErrors: 3 }, () =>
      answered([{ success: false }, { success: true }]),
    );
    expect(ran.sent).toHaveLength(3);
    expect(ran.items).toHaveLength(6);
    expect(ran.stop).toEqual({ kind: 'errors' });
  });

  it('happens at an error that every request would meet', async () => {
    const error = new SvcError('unauthenticated', 'no');
    const ran = await run({ records: [numbered(6)] }, (batch, index) =>
      index === 1 ? failedBy('fatal', error) : answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 succeeded', 'u2 skipped', 'u3 skipped']);
    expect(ran.stop).toEqual({ kind: 'fatal', error });
  });

  it('happens at a signal, after the batches in flight complete', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ran = await run(
      { records: [numbered(10)], concurrency: 2, signal },
      async (batch, index) => {
        if (index === 1) controller.abort('enough');
        await new Promise((resolve) => setImmediate(resolve));
        return answered(success(batch));
      },
    );
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran).filter((status) => status.endsWith('succeeded'))).toHaveLength(4);
    expect(ran.stop).toEqual({ kind: 'signal', reason: 'enough' });
  });

  it('happens if an intent cannot be recorded, without sending its batch', async () => {
    let intents = 0;
    const error = new SvcError('local', 'the disk is full');
    const onIntent = () => {
      intents += 1;
      if (intents === 3) throw error;
    };
    const ran = await run({ records: [numbered(10)], onIntent }, (batch) =>
      answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(ran.stop).toEqual({ kind: 'broken', error });
  });

  it('happens if the input cannot be read, after the batches in flight complete', async () => {
    const error = new SvcError('invalid_input', 'it changed');
    async function* records() {
      yield numbered(3);
      throw error;
    }
    const ran = await run({ records: records(), batchSize: 1, concurrency: 2 }, (batch) =>
      answered(success(batch)),
    );
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 succeeded']);
    expect(ran.stop).toEqual({ kind: 'broken', error });
  });

  it('happens after ten batches in a row without a response', async () => {
    const ran = await run({ records: [numbered(100)] }, () => unanswered('connection', 'now'));
    expect(ran.sent).toHaveLength(10);
    expect(ran.stop).toMatchObject({ kind: 'fatal' });
    const outcomes = ran.items.map(({ status, open }) => `${status} ${open}`);
    expect(outcomes).toEqual(numbered(20).map(() => 'unknown true'));
  });
});

describe('an unreliable service', () => {
  it('receives a batch again if it did not respond, while it responds to others', async () => {
    let calls = 0;
    const ran = await run({ records: [numbered(400)], concurrency: 4 }, async (batch) => {
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return calls > 4 && calls % 3 === 0
        ? unanswered('connection', 'now')
        : answered(success(batch));
    });
    expect(ran.stop).toBeUndefined();
    expect(statuses(ran).filter((status) => !status.endsWith('succeeded'))).toEqual([]);
    expect(ran.requests).toBe(ran.sent.length);
  });

  it('receives a write that replaces fields only once', async () => {
    const ran = await run({ records: [numbered(4)] }, (batch, index) =>
      index === 1 ? unanswered('connection', 'resumed') : answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(ran.items.filter(({ status, open }) => status === 'unknown' && open)).toHaveLength(2);
  });
});
