import { describe, expect, it } from 'vitest';
import { findDeliveries, listDeliveries } from '../../../src/service/deliveries/records.ts';
import { retryDeliveries, retryFailures } from '../../../src/service/deliveries/retry.ts';
import { stopLane } from '../../../src/service/deliveries/stop.ts';
import { pruneDeliveries } from '../../../src/service/deliveries/upkeep.ts';
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

  it('includes failed deliveries that wait for another attempt, of one endpoint if given', async () => {
    const { store, asking, first, until, credentials } = await failed();
    const list = async (state: 'failed' | 'retrying' | 'exhausted') =>
      (await listDeliveries(store, credentials.apiKey, { state }, 10)).length;
    expect((await retryFailures(store, asking, first)).retried).toHaveLength(2);
    await until('retrying', 'exhausted', 'retrying', 'exhausted');
    expect([await list('failed'), await list('retrying'), await list('exhausted')]).toEqual([
      4, 2, 2,
    ]);
    expect((await retryFailures(store, asking)).retried).toHaveLength(4);
    await expect(retryFailures(store, asking, 'crm')).rejects.toMatchObject({
      failure: 'not_found',
    });
  });

  it('skips deliveries without a destination, and reports the reason', async () => {
    const { store, asking, call, second, until, deliveries } = await failed();
    await call(UPDATE, { endpointId: second, disabled: true });
    const { retried, skipped: left } = await retryFailures(store, asking);
    expect(retried).toHaveLength(2);
    expect([...left]).toEqual([['the endpoint is disabled', 2]]);
    await until('retrying', 'exhausted', 'retrying', 'exhausted');
    const id = (await deliveries())[1]?.id ?? '';
    await expect(retryDeliveries(store, asking, [id])).rejects.toMatchObject({
      failure: 'failed_precondition',
      message: `delivery '${id}' cannot be sent: the endpoint is disabled`,
    });
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
