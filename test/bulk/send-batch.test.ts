import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestKind } from '../../src/bulk/batch-request.ts';
import type { RecordList } from '../../src/bulk/batches.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { answered, failedBy, numbered, run, statuses, success, unanswered } from './bulk-run.ts';

/** A service that refuses each request which holds one of the given records. */
const refusing =
  (poison: ReadonlySet<number>, refuse: () => ReturnType<typeof answered>) => (batch: RecordList) =>
    batch.some(({ index }) => poison.has(index)) ? refuse() : answered(success(batch));

describe('records that exist already', () => {
  const taken = (batch: RecordList, unsettled = false) => ({
    ...answered(
      Object.fromEntries(batch.map(({ id }) => [id, { success: false, code: 'already-exists' }])),
    ),
    unsettled,
  });
  const [one] = [numbered(1)];

  it('fail if nothing was sent before', async () => {
    expect((await run({ records: [one] }, (batch) => taken(batch))).items).toMatchObject([
      { status: 'failed', code: 'already-exists' },
    ]);
  });

  it.each([
    ['failed inside the service', [numbered(2)], () => unanswered('service', 'now')],
    ['an earlier run made', [{ resend: one }], undefined],
  ])('may come from a request that %s', async (_, records, first) => {
    const ran = await run({ records, hasEarlierSuccess: true }, (batch, sent) =>
      sent === 0 && first ? first() : taken(batch),
    );
    expect(new Set(ran.items.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(['unknown outcome_unknown']),
    );
    expect(ran.items[0]?.message).toMatch(
      /^the record already exists; an earlier request with an unknown outcome may have added it/,
    );
  });

  it('may come from a request without a response, while others got one', async () => {
    const answers = [answered({ u0: { success: true } }), unanswered('connection', 'now')];
    const ran = await run(
      { records: [numbered(2)], batchSize: 1 },
      (batch, sent) => answers[sent] ?? taken(batch),
    );
    expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 unknown']);
  });

  it('succeed if a lookup finds them equal, and fail if it finds different ones', async () => {
    const lookUp = async (records: RecordList) => {
      expect(records.map(({ id }) => id)).toEqual(['u0', 'u1', 'u2']);
      return new Map([
        ['u0', true],
        ['u1', false],
      ]);
    };
    for (const reported of ['all', 'exceptions'] as const) {
      const ran = await run({ records: [{ resend: numbered(3) }], lookUp, reported }, (batch) =>
        taken(batch),
      );
      expect(statuses(ran)).toEqual(['u0 succeeded', 'u1 failed', 'u2 unknown']);
      expect(ran.items[0]).toMatchObject({ effect: 'unchanged' });
    }
  });

  it('may come from an earlier attempt of the same call', async () => {
    const ran = await run({ records: [one] }, (batch) => taken(batch, true));
    expect(ran.items).toMatchObject([{ status: 'unknown' }]);
  });
});

describe('existing records that may be skipped or updated', () => {
  const ids = (batch: RecordList) => batch.map(({ id }) => id);
  const answer = (batch: RecordList, refused: (id: string) => string | undefined) =>
    answered(
      Object.fromEntries(
        ids(batch).map((id) => [id, { success: refused(id) === undefined, code: refused(id) }]),
      ),
    );

  it('are skipped, unless an earlier request of the job may have created them', async () => {
    const lookUp = async () => new Map(Object.entries({ u0: true, u1: false }));
    const skip = { existing: { action: 'skip' }, lookUp } as const;
    const taken = (batch: RecordList) => answer(batch, () => 'already-exists');
    expect(statuses(await run({ records: [numbered(2)], ...skip }, taken))).toEqual([
      'u0 existing',
      'u1 existing',
    ]);
    const resumed = await run({ records: [{ resend: numbered(3) }], ...skip }, taken);
    expect(statuses(resumed)).toEqual(['u0 succeeded', 'u1 existing', 'u2 unknown']);
  });

  it('are updated only if they differ, and each record gets one result', async () => {
    const state = fc.constantFrom('new', 'same', 'different', 'invalid');
    await fc.assert(
      fc.asyncProperty(
        fc.array(state, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 9 }),
        async (states, batchSize) => {
          const stateOf = (id: string) => states[Number(id.slice(1))];
          const updated: string[] = [];
          let updates = 0;
          const existing = {
            action: 'update',
            lookUp: async (records: RecordList) =>
              new Map(ids(records).map((id) => [id, stateOf(id) === 'same'])),
            send: async (batch: RecordList) => {
              updates += 1;
              if (batch.length > 1 && ids(batch).some((id) => stateOf(id) === 'invalid'))
                return { ...failedBy('refused'), retries: 1 };
              updated.push(...ids(batch));
              const notFound = (id: string) =>
                stateOf(id) === 'invalid' ? 'not-found' : undefined;
              return { ...answer(batch, notFound), retries: 1 };
            },
          } as const;
          const ran = await run(
            { records: [numbered(states.length)], batchSize, existing, hasEarlierSuccess: true },
            (batch) =>
              answer(batch, (id) => (stateOf(id) === 'new' ? undefined : 'already-exists')),
          );
          const expected = {
            new: 'succeeded undefined',
            same: 'succeeded unchanged',
            different: 'succeeded updated',
            invalid: 'failed undefined',
          };
          expect(ran.items.map(({ status, effect }) => `${status} ${effect}`)).toEqual(
            states.map((one) => expected[one as keyof typeof expected]),
          );
          expect(updated.toSorted()).toEqual(
            states
              .flatMap((one, at) => (one === 'different' || one === 'invalid' ? [`u${at}`] : []))
              .toSorted(),
          );
          expect([ran.requests, ran.retries]).toEqual([ran.sent.length + 2 * updates, updates]);
        },
      ),
    );
  });

  it('stay unsent if the update fails for every record, so that a resume sends them again', async () => {
    const send = async () => failedBy('fatal', new SvcError('failed_precondition', 'disabled'));
    const existing = { action: 'update', lookUp: async () => new Map(), send } as const;
    const ran = await run({ records: [numbered(2)], existing }, (batch) =>
      answer(batch, () => 'already-exists'),
    );
    expect(ran.stop).toMatchObject({ kind: 'fatal', error: { message: 'disabled' } });
    expect(statuses(ran)).toEqual(['u0 skipped', 'u1 skipped']);
  });
});

describe('the requests of a batch', () => {
  it('count with the retries of each call and of the job', async () => {
    const lost = { ...unanswered('connection', 'now'), retries: 2 };
    const answers = [answered(success(numbered(2))), lost];
    const ran = await run({ records: [numbered(4)] }, (batch, sent) => {
      return answers[sent] ?? { ...answered(success(batch)), retries: 1 };
    });
    expect(statuses(ran).every((status) => status.endsWith('succeeded'))).toBe(true);
    expect([ran.sent.length, ran.requests, ran.retries]).toEqual([3, 6, 4]);
  });

  it('end after two more that get no response, if no other batch gets one', async () => {
    const ran = await run({ records: [numbered(4)] }, (batch, sent) =>
      sent === 0 ? answered(success(batch)) : unanswered('connection', 'now'),
    );
    expect(ran.sent).toHaveLength(1 + 3);
    expect(ran.pauses).toEqual([1, 2]);
    expect(statuses(ran).slice(2)).toEqual(['u2 unknown', 'u3 unknown']);
  });

  it('leave its outcome unknown if the job stops before it is sent again', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ran = await run({ records: [numbered(4)], signal }, (batch, sent) => {
      if (sent === 0) return answered(success(batch));
      controller.abort();
      return unanswered('connection', 'now');
    });
    expect(ran.sent).toHaveLength(2);
    expect(statuses(ran).slice(2)).toEqual(['u2 unknown', 'u3 unknown']);
  });

  it('are halves if it is too large, without a search for an invalid record', async () => {
    const ran = await run({ records: [numbered(8)], batchSize: 8 }, (batch) =>
      batch.length > 2
        ? ({ ...failedBy('refused'), tooLarge: true } as ReturnType<typeof failedBy>)
        : answered(success(batch)),
    );
    expect(ran.sent.map(({ length }) => length)).toEqual([8, 4, 2, 2, 4, 2, 2]);
    expect(statuses(ran).every((status) => status.endsWith('succeeded'))).toBe(true);
  });
});

describe('records of an organization that does not exist', () => {
  const refuse = () =>
    failedBy('refused', new SvcError('invalid_argument', 'Organization not found.'));
  const target = { key: 'gone', data: { organizationId: 'gone' }, records: 4 };
  const ofOrganization = (records: RecordList): RecordList =>
    records.map((record) => ({ ...record, target }));

  it('stay unsent after one request if the command names the organization', async () => {
    const ran = await run({ records: [numbered(4)], batchSize: 4 }, refuse);
    expect(ran.stop).toMatchObject({ kind: 'fatal' });
    expect(ran.sent).toHaveLength(1);
    expect(statuses(ran)).toEqual(numbered(4).map(({ id }) => `${id} skipped`));
  });

  it.each([
    ['the records name it', [ofOrganization(numbered(4))], false],
    ['other requests succeeded', [numbered(4)], true],
  ])(
    'fail with one request, and the job continues, if %s',
    async (_, records, hasEarlierSuccess) => {
      const ran = await run({ records, batchSize: 4, hasEarlierSuccess }, refuse);
      expect(ran.stop).toBeUndefined();
      expect(ran.sent).toHaveLength(1);
      expect(statuses(ran)).toEqual(numbered(4).map(({ id }) => `${id} failed`));
    },
  );
});

describe('invalid records in a refused request', () => {
  it.each([
    ['refused', () => failedBy('refused'), 'failed'],
    ['failed at', () => unanswered('service', 'now'), 'unknown'],
  ] as const)(
    'are found by cutting up what is %s, and the others land',
    SLOW,
    async (_, refuse, status) => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 130 }),
          fc.array(fc.nat(129), { maxLength: 4 }),
          async (size, some) => {
            const poison = new Set(some.filter((index) => index < size));
            const ran = await run(
              { records: [numbered(size)], batchSize: size, hasEarlierSuccess: true },
              refusing(poison, refuse),
            );
            const expected = numbered(size).map(
              ({ id, index }) => `${id} ${poison.has(index) ? status : 'succeeded'}`,
            );
            expect(statuses(ran)).toEqual(expected);
            expect(ran.requests - 1).toBeLessThanOrEqual(poison.size * 2 * Math.log2(size));
          },
        ),
        { numRuns: repeats(150) },
      );
    },
  );

  it.each([
    [0, [8, 4, 2, 1, 1, 2, 4]],
    // If the first half is accepted, the second is not sent as a whole.
    [7, [8, 4, 2, 1, 1]],
  ])('are found in halves: record %i', async (invalid, sizes) => {
    const service = refusing(new Set([invalid]), () => failedBy('refused'));
    const ran = await run({ records: [numbered(8)], batchSize: 8 }, service);
    expect(ran.sent.map(({ length }) => length)).toEqual(sizes);
  });

  it('are removed at once if the service names them', async () => {
    const invalidRecords = new Map([
      [3, 'no such domain'],
      [7, 'too long'],
    ]);
    const ran = await run({ records: [numbered(10)], batchSize: 10 }, (batch) =>
      batch.length === 10
        ? ({ ...failedBy('refused'), invalidRecords } as ReturnType<typeof failedBy>)
        : answered(success(batch)),
    );
    expect(ran.requests).toBe(2);
    expect(
      ran.items.filter(({ status }) => status === 'failed').map(({ message }) => message),
    ).toEqual(['no such domain', 'too long']);
  });

  it('cause no further request if they are all records', async () => {
    const invalidRecords = new Map(numbered(2).map((_, at) => [at, 'too long']));
    const ran = await run(
      { records: [numbered(2)] },
      () => ({ ...failedBy('refused'), invalidRecords }) as ReturnType<typeof failedBy>,
    );
    expect([ran.sent.length, statuses(ran)]).toEqual([1, ['u0 failed', 'u1 failed']]);
  });

  it('stay failed if the request is at fault for the others', async () => {
    const error = new SvcError('invalid_argument', 'Unknown organization.');
    const ran = await run({ records: [numbered(24)], batchSize: 12 }, (batch) =>
      batch.length === 12
        ? ({ ...failedBy('refused'), invalidRecords: new Map([[0, 'too long']]) } as ReturnType<
            typeof failedBy
          >)
        : failedBy('refused', error),
    );
    expect(ran.stop).toEqual({ kind: 'fatal', error });
    const named = ran.items.filter(({ message }) => message === 'too long');
    expect(named.map(({ record, status }) => `${record.id} ${status}`)).toEqual([
      'u0 failed',
      'u12 failed',
    ]);
    const last = statuses(ran).slice(13);
    expect(last).toEqual(last.map((_, at) => `u${at + 13} skipped`));
  });

  it('stay unknown if all requests fail inside the service, since they may be applied', async () => {
    const ran = await run({ records: [numbered(12)], batchSize: 12 }, () =>
      unanswered('service', 'now'),
    );
    expect(ran.stop).toMatchObject({ kind: 'fatal' });
    expect(ran.items.map(({ status }) => status)).toEqual(numbered(12).map(() => 'unknown'));
  });

  it('are not at fault if all records of a batch are refused with the same message', async () => {
    const error = new SvcError('invalid_argument', 'Unknown organization.');
    const ran = await run(
      { records: [numbered(10_000)], batchSize: 100, concurrency: 4 },
      async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return failedBy('refused', error);
      },
    );
    expect(ran.stop).toEqual({ kind: 'fatal', error });
    expect(ran.requests).toBeLessThan(500);
    expect(new Set(ran.items.map(({ status }) => status))).toEqual(new Set(['skipped']));
  });

  it('keep the results that the response to another batch states', async () => {
    const refused = Promise.withResolvers<void>();
    const ran = await run(
      { records: [numbered(24)], batchSize: 12, concurrency: 2 },
      async (batch) => {
        if (batch.at(-1)?.id === 'u23') {
          await refused.promise;
          return answered(batch.map(() => ({ success: false, message: 'too long' })));
        }
        if (batch[0]?.id === 'u11') setImmediate(refused.resolve);
        return failedBy('refused');
      },
    );
    expect(ran.stop).toMatchObject({ kind: 'fatal' });
    expect(statuses(ran).toSorted()).toEqual(
      numbered(24)
        .map(({ id, index }) => `${id} ${index < 12 ? 'skipped' : 'failed'}`)
        .toSorted(),
    );
  });

  it('are at fault if their messages differ, or others succeed in between', async () => {
    const words = await run({ records: [numbered(40)], batchSize: 20 }, (batch) =>
      failedBy('refused', new SvcError('invalid_argument', `bad: ${batch[0]?.id}`)),
    );
    expect([words.stop, words.items.length]).toEqual([undefined, 40]);
    const odd = (batch: RecordList) => batch.some(({ index }) => index % 2 === 1);
    const between = await run({ records: [numbered(400)], batchSize: 20 }, (batch) =>
      odd(batch) ? failedBy('refused') : answered(success(batch)),
    );
    expect(between.stop).toBeUndefined();
    expect(statuses(between).filter((status) => status.endsWith('failed'))).toHaveLength(200);
  });

  it('are no longer searched for after a stop: the rest counts as unsent', async () => {
    const controller = new AbortController();
    const ran = await run(
      { records: [numbered(16)], batchSize: 16, signal: controller.signal },
      (batch, index) => {
        if (index === 2) controller.abort();
        return batch.some(({ index: at }) => at === 15)
          ? failedBy('refused')
          : answered(success(batch));
      },
    );
    expect(ran.sent).toHaveLength(3);
    const counts = (status: string) => statuses(ran).filter((told) => told.endsWith(status)).length;
    expect([counts('succeeded'), counts('skipped'), counts('failed')]).toEqual([12, 4, 0]);
  });

  it.each([
    ['as parts if the service failed with an internal error', unanswered('service', 'now'), 'part'],
    ['like others if it refused them', failedBy('refused'), 'new'],
  ])('are sent once as a whole, then %s', async (_, outcome, half) => {
    const kinds: RequestKind[] = [];
    await run({ records: [numbered(4)] }, (batch, sent, kind) => {
      kinds.push(kind);
      return sent === 1 ? outcome : answered(success(batch));
    });
    expect(kinds).toEqual(['new', 'new', half, half]);
  });
});
