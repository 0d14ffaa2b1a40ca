import { describe, expect, it } from 'vitest';
import {
  type RecordingContext,
  recordOutcomes,
} from '../../../src/service/deliveries/record-outcomes.ts';
import { findDeliveries, listDeliveries } from '../../../src/service/deliveries/records.ts';
import {
  planRetry,
  retryDeliveries,
  retryFailures,
} from '../../../src/service/deliveries/retry.ts';
import { createRetrySchedule } from '../../../src/service/deliveries/schedule.ts';
import { stopLane } from '../../../src/service/deliveries/stop.ts';
import { pruneDeliveries } from '../../../src/service/deliveries/upkeep.ts';
import { onOutboxChange } from '../../../src/service/deliveries/wakeup.ts';
import type { StoredDeliveryState } from '../../../src/service/store/tables.ts';
import { SLOW } from '../../slow.ts';
import { deliveringWorld } from './delivering.ts';

const UPDATE = '/v2/workspace/advancedwebhook/endpoints/update';

/** Creates deliveries to two endpoints, all failed. */
async function failed() {
  const world = await deliveringWorld();
  const [first, second] = [
    await world.endpoint({ url: 'https://example.com/1' }),
    await world.endpoint({ url: 'https://example.com/2' }),
  ];
  await world.comment(2);
  const { store, clock, credentials } = world;
  await store.write(async (database) => {
    for (const lane of [first, second]) await stopLane(database, lane, 'of the test', clock.now());
  });
  return { ...world, first, second, asking: { apiKey: credentials.apiKey, now: clock.now() } };
}

describe('deliveries', () => {
  it('are filtered, and listed newest first', async () => {
    const { store, first, credentials } = await failed();
    const list = async (filter: Parameters<typeof listDeliveries>[2], limit = 10) =>
      (await listDeliveries(store, credentials.apiKey, filter, limit)).map(({ record }) => record);
    const all = await list({});
    expect(all).toHaveLength(4);
    expect(await list({}, 3)).toEqual(all.slice(0, 3));
    expect(await list({ endpointId: first })).toEqual(
      all.filter(({ endpointId }) => endpointId === first),
    );
    expect(await list({ state: 'pending' })).toEqual([]);
    for (const state of ['failed', 'exhausted'] as const)
      expect(await list({ event: 'comment.add', state })).toEqual(all);
    expect(await list({ state: 'retrying' })).toEqual([]);
    await expect(list({ endpointId: 'nowhere' })).rejects.toMatchObject({ failure: 'not_found' });
    expect(await list({ event: 'comment.update' })).toEqual([]);
    expect(await listDeliveries(store, 'another-key', {}, 10)).toEqual([]);
    await expect(findDeliveries(store, 'another-key', [all[0]?.id ?? ''])).rejects.toMatchObject({
      failure: 'not_found',
    });
  });
});

const FAILED = { state: 'failed' } as const;

describe('retrying', () => {
  it('applies to all given deliveries or to none', async () => {
    const { store, asking, deliveries, until } = await failed();
    const ids = (await deliveries()).map(({ id }) => id);
    const [id = ''] = ids;
    await expect(retryDeliveries(store, asking, [id, 'msg_x'])).rejects.toMatchObject({
      failure: 'not_found',
    });
    await until('exhausted', 'exhausted', 'exhausted', 'exhausted');
    const [detail] = await retryDeliveries(store, asking, [id, id]);
    expect(detail?.record).toMatchObject({
      id,
      state: 'retrying',
      attempts: [{ error: 'not sent: of the test' }],
    });
    await until('retrying', 'exhausted', 'exhausted', 'exhausted');
  });

  it('makes each due now with all its attempts, unless a process attempts it', async () => {
    const { store, asking, deliveries } = await failed();
    const { now } = asking;
    const ids = (await deliveries()).slice(0, 3).map(({ id }) => id);
    const [waiting, attempted, abandoned] = [
      { dueAt: now + 30_000, owner: null },
      { dueAt: now + 30_000, owner: 'process' },
      { dueAt: now, owner: 'dead process' },
    ];
    await store.write(async (database) => {
      for (const [at, claim] of [waiting, attempted, abandoned].entries())
        await database
          .updateTable('deliveries')
          .set({ state: 'pending', tries: 3, ...claim })
          .where('id', '=', ids[at] ?? '')
          .execute();
    });
    expect(await retryDeliveries(store, asking, [...ids, ...ids])).toHaveLength(3);
    const rows = await store.read((database) =>
      database
        .selectFrom('deliveries')
        .select(['state', 'tries', 'dueAt', 'owner'])
        .where('id', 'in', ids)
        .orderBy('key')
        .execute(),
    );
    const retried = { state: 'pending', tries: 0, dueAt: now, owner: null };
    expect(rows).toEqual([retried, { state: 'pending', tries: 3, ...attempted }, retried]);
  });

  it('wakes the engines of this process', async () => {
    const { store, asking, deliveries } = await failed();
    let woken = 0;
    const unsubscribe = onOutboxChange(store, () => {
      woken += 1;
    });
    await retryFailures(store, asking, FAILED);
    expect(woken).toBe(1);
    await retryDeliveries(store, asking, [(await deliveries())[0]?.id ?? '']);
    expect(woken).toBe(2);
    unsubscribe();
  });

  it('includes failed deliveries that wait for another attempt, of one endpoint if given', async () => {
    const { store, asking, first, until, credentials } = await failed();
    const list = async (state: 'failed' | 'retrying' | 'exhausted') =>
      (await listDeliveries(store, credentials.apiKey, { state }, 10)).length;
    expect(await retryFailures(store, asking, { ...FAILED, endpointId: first })).toHaveLength(2);
    await until('retrying', 'exhausted', 'retrying', 'exhausted');
    expect([await list('failed'), await list('retrying'), await list('exhausted')]).toEqual([
      4, 2, 2,
    ]);
    expect(await retryFailures(store, asking, FAILED)).toHaveLength(4);
    await expect(
      retryFailures(store, asking, { ...FAILED, endpointId: 'crm' }),
    ).rejects.toMatchObject({
      failure: 'not_found',
    });
  });

  it('skips deliveries without a destination, and reports the reason', async () => {
    const { store, asking, call, first, second, until, deliveries } = await failed();
    await call(UPDATE, { endpointId: second, disabled: true });
    const { skipped, ...planned } = await planRetry(store, asking.apiKey, FAILED);
    expect(planned).toEqual({ count: 2, endpointIds: [first] });
    expect([...skipped]).toEqual([['the endpoint is disabled', 2]]);
    expect(await retryFailures(store, asking, FAILED)).toHaveLength(2);
    await until('retrying', 'exhausted', 'retrying', 'exhausted');
    await call(UPDATE, { endpointId: first, disabled: true });
    await store.write((database) => stopLane(database, first, 'of the test', asking.now));
    expect(await retryFailures(store, asking, FAILED)).toEqual([]);
    const again = await planRetry(store, asking.apiKey, FAILED);
    expect([...again.skipped]).toEqual([['the endpoint is disabled', 4]]);
    const id = (await deliveries())[1]?.id ?? '';
    await expect(retryDeliveries(store, asking, [id])).rejects.toMatchObject({
      failure: 'failed_precondition',
      message: `delivery '${id}' cannot be sent: the endpoint is disabled`,
    });
  });
});

describe('the outcome of an attempt', () => {
  const NO_MORE: RecordingContext['schedule'] = {
    ...createRetrySchedule(),
    delayAfter: () => undefined,
  };

  /** Claims two deliveries to one endpoint. Another one subscribes to exhausted deliveries. */
  async function claimed() {
    const world = await deliveringWorld();
    const { store, clock, endpoint, comment } = world;
    const lane = await endpoint({ url: 'https://example.com/1' });
    await endpoint({
      url: 'https://example.com/2',
      filterTypes: ['message.attempt.exhausted'],
    });
    await comment(2);
    const now = clock.now();
    const rows = await store.write(async (database) => {
      const claim = { owner: 'own', dueAt: now + 30_000 };
      await database.updateTable('deliveries').set(claim).where('lane', '=', lane).execute();
      return database.selectFrom('deliveries').selectAll().orderBy('key').execute();
    });
    const destination = { composeRequest: () => expect.unreachable() };
    const claims = rows.map((row, at) => {
      return { ...row, payload: row.payload ?? '', claimedAt: now - at, destination };
    });
    const record = (
      statuses: readonly number[],
      changed: Partial<RecordingContext> = {},
      form: 'advanced' | 'raw' = 'advanced',
    ) => {
      const outcomes = claims.map((claim, at) => {
        const status = statuses[at] ?? 0;
        const reason = status === 200 ? null : ('http 5xx' as const);
        const result = { status, error: null, reason, milliseconds: at, body: `body ${at}` };
        return { delivery: { ...claim, form }, result };
      });
      const context = { owner: 'own', now, schedule: NO_MORE, ...changed };
      return store.write((database) => recordOutcomes(database, outcomes, context));
    };
    const read = () =>
      store.read((database) =>
        database.selectFrom('deliveries').selectAll().orderBy('key').execute(),
      );
    return { ...world, rows, record, read, now };
  }

  it('is ignored if another process has claimed the delivery meanwhile', async () => {
    const { rows, record, read } = await claimed();
    await record([500, 200], { owner: 'other' });
    expect(await read()).toEqual(rows);
  });

  it('ends the claim, and keeps the payload for a retry', async () => {
    const { rows, record, read } = await claimed();
    await record([500, 200]);
    const [first, second, exhausted] = await read();
    const ended = { owner: null, dueAt: null, tries: 1 };
    expect(first).toMatchObject({ ...ended, state: 'failed', payload: rows[0]?.payload });
    expect(second).toMatchObject({ ...ended, state: 'delivered', payload: rows[1]?.payload });
    expect(exhausted).toMatchObject({ event: 'message.attempt.exhausted', state: 'pending' });
  });

  it('of a basic webhook is the last one, and causes no event', async () => {
    const { store, rows, record, read } = await claimed();
    await store.write((database) =>
      database
        .updateTable('deliveries')
        .set({ form: 'raw' })
        .where('owner', 'is not', null)
        .execute(),
    );
    await record([500, 500], { schedule: createRetrySchedule() }, 'raw');
    expect(await read()).toMatchObject(
      rows.map(({ id }) => ({ id, form: 'raw', state: 'failed' })),
    );
    expect(await read()).toHaveLength(rows.length);
  });

  it('is due again after the delay if attempts remain, and causes no event', async () => {
    const { record, read, now } = await claimed();
    await record([500, 500], { schedule: createRetrySchedule() });
    const waiting = { owner: null, dueAt: now + 5_000, tries: 1, state: 'pending' };
    expect(await read()).toMatchObject([waiting, waiting]);
  });

  it('is a failure of its endpoint since the first attempt that failed', async () => {
    const { store, record, now } = await claimed();
    await record([500, 500]);
    const endpoints = await store.read((database) =>
      database.selectFrom('endpoints').select('failingSince').execute(),
    );
    expect(new Set(endpoints.map(({ failingSince }) => failingSince))).toEqual(
      new Set([now - 1, null]),
    );
  });
});

describe('an ended delivery', () => {
  it(
    'is deleted after a week, or beyond the limit; pending deliveries are kept',
    SLOW,
    async () => {
      const { store, credentials, deliveries } = await deliveringWorld();
      const DAY = 86_400_000;
      const now = 100 * DAY;
      const add = (count: number, state: StoredDeliveryState, age: number) =>
        store.write(async (database) => {
          const rows = Array.from({ length: count }, () => ({
            id: `msg_${Math.random()}`,
            apiKey: credentials.apiKey,
            form: 'raw' as const,
            lane: 'l',
            event: `${age}`,
            payload: null,
            size: 0,
            state,
            attempts: '',
            tries: 0,
            owner: null,
            createdAt: now - age * DAY,
            dueAt: state === 'pending' ? now : null,
          }));
          for (let at = 0; at < rows.length; at += 500) {
            await database
              .insertInto('deliveries')
              .values(rows.slice(at, at + 500))
              .execute();
          }
        });
      for (const state of ['pending', 'delivered', 'failed'] as const) {
        await add(1, state, 8);
        await add(2, state, 6);
      }
      await store.write((database) => pruneDeliveries(database, now));
      const count = Map.groupBy(await deliveries(), ({ state, event }) => `${state} ${event}`);
      expect([...count].map(([kind, found]) => `${kind}: ${found.length}`).sort()).toEqual([
        'delivered 6: 2',
        'exhausted 6: 2',
        'exhausted 8: 1',
        'pending 6: 2',
        'pending 8: 1',
      ]);
      await add(10_000, 'delivered', 0);
      await store.write((database) => pruneDeliveries(database, now));
      const left = await deliveries();
      expect(left.filter(({ state }) => state === 'delivered').map(({ event }) => event)).toEqual(
        Array(10_000).fill('0'),
      );
      expect(left).toHaveLength(10_006);
    },
  );
});
