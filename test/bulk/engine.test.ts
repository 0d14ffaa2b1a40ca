import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatchOutcome, type BulkEvent, type BulkJob, runBulk } from '../../src/bulk/engine.ts';
import type { BulkRecord, ItemResult } from '../../src/bulk/record.ts';
import { SvcError } from '../../src/kernel/errors.ts';

const recordsOf = (ids: readonly string[]): BulkRecord[] =>
  ids.map((id, at) => ({ id, index: at, line: at + 1, value: { id }, text: id, json: id }));
const numbered = (count: number) => recordsOf(Array.from({ length: count }, (_, at) => `u${at}`));
const success = (batch: readonly BulkRecord[]) => Object.fromEntries(batch.map(({ id }) => [id, { success: true }]));
const answered = (reply: unknown): BatchOutcome => ({ kind: 'answered', reply, retries: 0 });

interface Ran {
  readonly events: readonly BulkEvent[];
  readonly items: readonly ItemResult[];
  readonly sent: readonly (readonly string[])[];
}

async function run(
  job: Partial<BulkJob> & Pick<BulkJob, 'records'>,
  send: (batch: readonly BulkRecord[], index: number) => BatchOutcome | Promise<BatchOutcome>,
  signal = new AbortController().signal,
): Promise<Ran> {
  const events: BulkEvent[] = [];
  const sent: string[][] = [];
  const world = {
    signal,
    send: async (batch: readonly BulkRecord[]) => {
      sent.push(batch.map(({ id }) => id));
      return send(batch, sent.length - 1);
    },
  };
  for await (const event of runBulk({ batchSize: 2, concurrency: 1, ...job }, world)) events.push(event);
  const items = events.flatMap((event) => (event.kind === 'settled' ? event.items : []));
  return { events, items, sent };
}

const statuses = ({ items }: Ran) => items.map(({ record, status }) => `${record.id} ${status}`);

describe('sending in batches', () => {
  it('cuts blocks of any size into full batches, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 4 }), async (sizes, batchSize) => {
        const all = numbered(sizes.reduce((sum, size) => sum + size, 0));
        const rest = [...all];
        const blocks = sizes.map((size) => rest.splice(0, size));
        const { sent, items } = await run({ records: blocks, batchSize }, (batch) => answered(success(batch)));
        expect(sent.flat()).toEqual(all.map(({ id }) => id));
        expect(sent.slice(0, -1).every((batch) => batch.length === batchSize)).toBe(true);
        expect(items.map(({ record }) => record.id)).toEqual(sent.flat());
      }),
    );
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
});

describe('every record is accounted for once', () => {
  const outcome = fc.oneof(
    fc.record({
      kind: fc.constant('answered' as const),
      reply: fc.oneof(fc.constantFrom('all', 'none', 'list'), fc.jsonValue()),
    }),
    fc.record({ kind: fc.constantFrom('refused' as const, 'unknown' as const, 'hopeless' as const) }),
  );

  it('whatever comes back, in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string(), { maxLength: 30 }),
        fc.array(outcome, { minLength: 1 }),
        fc.record({ batchSize: fc.integer({ min: 1, max: 5 }), concurrency: fc.integer({ min: 1, max: 5 }) }),
        fc.option(fc.nat(5), { nil: undefined }),
        fc.scheduler(),
        async (ids, script, sizes, stopAtErrors, scheduler) => {
          const send = scheduler.scheduleFunction(
            async (batch: readonly BulkRecord[], index: number): Promise<BatchOutcome> => {
              const scripted = script[index % script.length];
              if (scripted?.kind === 'answered') {
                const list = batch.map(() => ({ success: true }));
                const replies: Record<string, unknown> = { all: success(batch), none: {}, list };
                const named = typeof scripted.reply === 'string' && Object.hasOwn(replies, scripted.reply);
                return answered(named ? replies[scripted.reply as string] : scripted.reply);
              }
              return { kind: scripted?.kind ?? 'unknown', error: new SvcError('unreachable', 'down'), retries: 1 };
            },
          );
          const job = { records: [recordsOf(ids)], ...sizes, ...(stopAtErrors !== undefined && { stopAtErrors }) };
          const { items, events } = await scheduler.waitFor(run(job, send));
          expect(items.map(({ record }) => record.id).toSorted()).toEqual(ids.toSorted());
          expect(events.filter(({ kind }) => kind === 'stopped').length).toBeLessThanOrEqual(1);
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
    const { events } = await run({ records: [numbered(1)] }, () =>
      answered({ u0: { success: true }, x: { success: true } }),
    );
    expect(events).toContainEqual({ kind: 'strangers', ids: ['x'] });
  });

  it('a refused call fails its own batch only', async () => {
    const refused: BatchOutcome = { kind: 'refused', error: new SvcError('invalid_argument', 'bad'), retries: 0 };
    const ran = await run({ records: [numbered(4)] }, (batch, index) =>
      index === 0 ? refused : answered(success(batch)),
    );
    expect(statuses(ran)).toEqual(['u0 failed', 'u1 failed', 'u2 succeeded', 'u3 succeeded']);
    expect(ran.items[0]).toMatchObject({ message: 'bad', code: 'invalid_argument' });
  });
});

describe('stopping', () => {
  it('after as many errors as allowed', async () => {
    const ran = await run({ records: [numbered(8)], stopAtErrors: 3 }, () =>
      answered([{ success: false }, { success: true }]),
    );
    expect(ran.sent).toHaveLength(3);
    expect(statuses(ran).slice(-2)).toEqual(['u6 skipped', 'u7 skipped']);
    expect(ran.events).toContainEqual({ kind: 'stopped', stop: { why: 'errors' } });
  });

  it('when no other request would fare better', async () => {
    const error = new SvcError('unauthenticated', 'no');
    const ran = await run({ records: [numbered(6)] }, (batch, index) =>
      index === 1 ? { kind: 'hopeless', error, retries: 0 } : answered(success(batch)),
    );
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran).filter((status) => status.endsWith('skipped'))).toHaveLength(4);
    expect(ran.events).toContainEqual({ kind: 'stopped', stop: { why: 'hopeless', error } });
  });

  it('at a signal, after what is in flight has come back', async () => {
    const controller = new AbortController();
    const ran = await run(
      { records: [numbered(10)], concurrency: 2 },
      async (batch, index) => {
        if (index === 1) controller.abort('enough');
        await new Promise((resolve) => setImmediate(resolve));
        return answered(success(batch));
      },
      controller.signal,
    );
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran).filter((status) => status.endsWith('succeeded'))).toHaveLength(4);
    expect(ran.items).toHaveLength(10);
  });
});
