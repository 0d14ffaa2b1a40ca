import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/bulk/batches.ts';
import type { BatchOutcome } from '../../src/bulk/outcome.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { answered, failedBy, lost, numbered, recordsOf, run, statuses, success } from './bulk-run.ts';

describe('sending in batches', () => {
  it('cuts blocks of any size into full batches, in order, and at empty blocks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 4 }), async (sizes, batchSize) => {
        const all = numbered(sizes.reduce((sum, size) => sum + size, 0));
        const rest = [...all];
        const blocks = sizes.map((size) => rest.splice(0, size));
        const { sent, items } = await run({ records: blocks, batchSize }, (batch) => answered(success(batch)));
        expect(sent.flat()).toEqual(all.map(({ id }) => id));
        expect(items.map(({ record }) => record.id)).toEqual(sent.flat());
        const ends = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
        const cuts = new Set(ends.filter((_, at) => sizes[at] === 0));
        let at = 0;
        for (const batch of sent) {
          const within = [...cuts].filter((cut) => cut > at && cut < at + batch.length);
          expect(within).toEqual([]);
          at += batch.length;
          expect(batch.length === batchSize || at === all.length || cuts.has(at)).toBe(true);
        }
      }),
    );
  });

  it('keeps a request below its size, but for a single record', async () => {
    const [small, large] = [recordsOf(['a', 'b', 'c']), recordsOf(['x'.repeat(2e6)])];
    const { sent } = await run({ records: [small, large, small], batchSize: 9 }, (batch) => answered(success(batch)));
    expect(sent.map(({ length }) => length)).toEqual([3, 1, 3]);
  });

  it('keeps as many in flight as it may, and no more', async () => {
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

  it('keeps as many batches under way as it may, though each is cut up', async () => {
    let open = 0;
    let most = 0;
    const intend = () => {
      open += 1;
      most = Math.max(most, open);
    };
    const records = [numbered(200)];
    const landed = new Set<string>();
    await run({ records, batchSize: 20, concurrency: 3, intend }, async (batch) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (batch.some(({ index }) => index % 20 === 7) && batch.length > 1) return failedBy('refused');
      for (const { id, index } of batch) {
        landed.add(id);
        if ([...Array(20).keys()].every((at) => landed.has(`u${index - (index % 20) + at}`))) open -= 1;
      }
      return answered(success(batch));
    });
    expect(most).toBe(3);
  });
});

describe('every record is accounted for at most once', () => {
  const outcome = fc.oneof(
    fc.record({
      kind: fc.constant('answered' as const),
      reply: fc.oneof(fc.constantFrom('all', 'none', 'list', 'internal'), fc.jsonValue()),
    }),
    fc.record({
      kind: fc.constantFrom('refused' as const, 'unknown' as const, 'divisible' as const, 'hopeless' as const),
    }),
  );
  const scripted = (script: fc.Memo<never> | readonly unknown[], batch: Block, index: number): BatchOutcome => {
    const step = (script as readonly { kind: string; reply?: unknown }[])[
      index % (script as readonly unknown[]).length
    ];
    switch (step?.kind) {
      case 'answered': {
        const internal = batch.map(() => ({ success: false, code: 'internal' }));
        const list = batch.map(() => ({ success: true }));
        const replies: Readonly<Record<string, unknown>> = { all: success(batch), none: {}, list, internal };
        const isNamed = typeof step.reply === 'string' && Object.hasOwn(replies, step.reply);
        return answered(isNamed ? replies[step.reply as string] : step.reply);
      }
      case 'refused':
      case 'hopeless':
        return failedBy(step.kind);
      case 'divisible':
        return lost('service', 'now');
      default:
        return lost('way', 'now');
    }
  };

  it('whatever comes back, in whatever order, and never sent twice at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string(), { maxLength: 30 }),
        fc.array(outcome, { minLength: 1 }),
        fc.record({ batchSize: fc.integer({ min: 1, max: 5 }), concurrency: fc.integer({ min: 1, max: 5 }) }),
        fc.option(fc.nat(5), { nil: undefined }),
        fc.scheduler(),
        async (ids, script, sizes, stopAtErrors, scheduler) => {
          const inFlight = new Set<string>();
          const answer = scheduler.scheduleFunction(async (batch: Block, index: number) =>
            scripted(script, batch, index),
          );
          const send = async (batch: Block, index: number) => {
            for (const { id } of batch) {
              expect(inFlight.has(id)).toBe(false);
              inFlight.add(id);
            }
            const came = await answer(batch, index);
            for (const { id } of batch) inFlight.delete(id);
            return came;
          };
          const job = { records: [recordsOf(ids)], ...sizes, ...(stopAtErrors !== undefined && { stopAtErrors }) };
          const { items, stop } = await scheduler.waitFor(run(job, send));
          const settled = items.map(({ record }) => record.id);
          expect(new Set(settled).size).toBe(settled.length);
          if (!stop) expect(settled.toSorted()).toEqual(ids.toSorted());
        },
      ),
    );
  });
});

describe('what a reply says of each record', () => {
  it('only a literal true is success, and who is not mentioned is unknown', async () => {
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
    const exceptions = await run({ records: [records], batchSize: 5, wanted: 'exceptions' }, () => answered(reply));
    expect(statuses(exceptions)).toEqual(['b failed', 'c failed', 'd failed', 'e unknown']);
  });

  it('a list is read in the order of the request', async () => {
    const ran = await run({ records: [numbered(2)] }, () => answered([{ success: false }, { success: true }]));
    expect(statuses(ran)).toEqual(['u0 failed', 'u1 succeeded']);
  });

  it('ids such as __proto__ and numbers are ordinary', async () => {
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

  it('ids that were not sent are told', async () => {
    const { strangers } = await run({ records: [numbered(1)] }, () =>
      answered({ u0: { success: true }, x: { success: true } }),
    );
    expect(strangers).toEqual(['x']);
  });

  it('only what failed inside the service is sent again, and not for ever', async () => {
    const reply = (batch: Block) => [
      ...batch.map(({ id }) => ({ success: false, code: id === 'u0' ? 'already-exists' : 'internal' })),
    ];
    const ran = await run({ records: [numbered(3)], batchSize: 3 }, (batch, index) =>
      answered(index === 1 ? [{ success: true }, { success: false, code: 'internal' }] : reply(batch)),
    );
    expect(ran.sent).toEqual([['u0', 'u1', 'u2'], ['u1', 'u2'], ['u2']]);
    expect(statuses(ran)).toEqual(['u0 failed', 'u1 succeeded', 'u2 failed']);
  });
});

describe('stopping', () => {
  it('after as many errors as allowed', async () => {
    const ran = await run({ records: [numbered(8)], stopAtErrors: 3 }, () =>
      answered([{ success: false }, { success: true }]),
    );
    expect(ran.sent).toHaveLength(3);
    expect(ran.items).toHaveLength(6);
    expect(ran.stop).toEqual({ why: 'errors' });
  });

  it('when no other request would fare better', async () => {
    const error = new SvcError('unauthenticated', 'no');
    const ran = await run({ records: [numbered(6)] }, (batch, index) =>
      index === 1 ? failedBy('hopeless', error) : answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 succeeded', 'u2 skipped', 'u3 skipped']);
    expect(ran.stop).toEqual({ why: 'hopeless', error });
  });

  it('at a signal, after what is in flight has come back', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ran = await run({ records: [numbered(10)], concurrency: 2, signal }, async (batch, index) => {
      if (index === 1) controller.abort('enough');
      await new Promise((resolve) => setImmediate(resolve));
      return answered(success(batch));
    });
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran).filter((status) => status.endsWith('succeeded'))).toHaveLength(4);
    expect(ran.stop).toEqual({ why: 'signal', reason: 'enough' });
  });

  it('when an intent cannot be written down: what it is about is not sent', async () => {
    let intents = 0;
    const error = new SvcError('local', 'the disk is full');
    const intend = () => {
      intents += 1;
      if (intents === 3) throw error;
    };
    const ran = await run({ records: [numbered(10)], intend }, (batch) => answered(success(batch)));
    expect(ran.sent).toHaveLength(2);
    expect(ran.stop).toEqual({ why: 'broken', error });
  });

  it('when the input cannot be read on, after what is in flight', async () => {
    const error = new SvcError('bad_data', 'it changed');
    async function* records() {
      yield numbered(3);
      throw error;
    }
    const ran = await run({ records: records(), batchSize: 1, concurrency: 2 }, (batch) => answered(success(batch)));
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 succeeded']);
    expect(ran.stop).toEqual({ why: 'broken', error });
  });

  it('after ten batches in a row that nobody answered', async () => {
    const ran = await run({ records: [numbered(100)] }, () => lost('way', 'now'));
    expect(ran.sent).toHaveLength(10);
    expect(ran.stop).toMatchObject({ why: 'hopeless' });
    expect(ran.items.every(({ status, open }) => status === 'unknown' && open)).toBe(true);
  });
});

describe('a service that comes and goes', () => {
  it('gets a batch again that it did not answer, while it answers others', async () => {
    let calls = 0;
    const ran = await run({ records: [numbered(400)], concurrency: 4 }, async (batch) => {
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return calls > 4 && calls % 3 === 0 ? lost('way', 'now') : answered(success(batch));
    });
    expect(ran.stop).toBeUndefined();
    expect(statuses(ran).filter((status) => !status.endsWith('succeeded'))).toEqual([]);
    expect(ran.requests).toBe(ran.sent.length);
  });

  it('gets what replaces fields once', async () => {
    const ran = await run({ records: [numbered(4)] }, (batch, index) =>
      index === 1 ? lost('way', 'resumed') : answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(ran.items.filter(({ status, open }) => status === 'unknown' && open)).toHaveLength(2);
  });
});
