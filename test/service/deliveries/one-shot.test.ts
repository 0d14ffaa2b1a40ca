import { describe, expect, it } from 'vitest';
import { deliverPending } from '../../../src/service/deliveries/one-shot.ts';
import { enqueueEvent } from '../../../src/service/deliveries/outbox.ts';
import { eventually } from '../../eventually.ts';
import { SLOW } from '../../slow.ts';
import { deliveringWorld } from './delivering.ts';
import { receiver } from './receiver.ts';

describe('one attempt of each delivery', () => {
  async function enqueued(status: number | undefined) {
    const target = await receiver(() => status);
    const world = await deliveringWorld();
    const { store, clock, credentials, endpoint } = world;
    await endpoint({ url: target.url });
    const { apiKey } = credentials;
    await world.comment();
    const ids = await enqueueEvent(
      { store, now: clock.now() },
      { event: 'huddle.join', webhookId: 'w', apiKey },
    );
    const options = { apiKey, clock, allowPrivateTargets: true };
    return { ...world, ...target, ids, options };
  }

  it('is made in this process, and no other delivery is attempted', async () => {
    const { store, ids, options, received, deliveries } = await enqueued(200);
    const [detail] = await deliverPending(store, options, ids);
    expect(detail?.record).toMatchObject({ id: ids[0], event: 'huddle.join', state: 'delivered' });
    expect(received).toHaveLength(1);
    expect((await deliveries()).map(({ state }) => state)).toEqual(['pending', 'delivered']);
  });

  it('that fails leaves the retry to a serving process', async () => {
    const { store, ids, options, clock } = await enqueued(500);
    const [detail] = await deliverPending(store, options, ids);
    expect(detail?.record).toMatchObject({ state: 'retrying', attempts: [{ status: 500 }] });
    const wait = (detail?.nextAttempt ?? 0) - clock.now();
    expect(wait).toBeGreaterThan(3_000);
    expect(wait).toBeLessThanOrEqual(5_000);
  });

  it('is awaited if another process makes it', async () => {
    const { store, ids, options, received, deliver, until } = await enqueued(200);
    deliver();
    await until('delivered', 'delivered');
    expect(await deliverPending(store, options, ids)).toMatchObject([
      { record: { state: 'delivered' } },
    ]);
    expect(received).toHaveLength(2);
  });

  it('is aborted by a signal, and its delivery is released', async () => {
    const { store, ids, options, received, deliveries } = await enqueued(undefined);
    const controller = new AbortController();
    const run = deliverPending(store, { ...options, signal: controller.signal }, ids);
    await eventually(() => expect(received).toHaveLength(1));
    controller.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    expect((await deliveries())[1]).toMatchObject({ state: 'pending', attempts: [] });
  });

  it('shares the rate limit of its endpoint with a serving process', SLOW, async () => {
    const { url } = await receiver();
    const { store, clock, credentials, endpoint, comment, deliver, until } =
      await deliveringWorld();
    await endpoint({ url, rateLimit: 2 });
    const { apiKey } = credentials;
    const options = { apiKey, clock, allowPrivateTargets: true };
    const send = async () => {
      const ids = await enqueueEvent(
        { store, now: clock.now() },
        { event: 'huddle.join', webhookId: 'w', apiKey },
      );
      return deliverPending(store, options, ids);
    };
    await comment(2);
    deliver();
    const sent = await Promise.all([send(), send(), send(), send()]);
    expect(sent.flat().map(({ record }) => record.state)).toEqual(Array(4).fill('delivered'));
    const records = await until(...Array(6).fill('delivered'));
    const begun = records.flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at)));
    expect(begun).toHaveLength(6);
    const inSecond = begun.map(
      (start) => begun.filter((at) => at >= start && at < start + 1_000).length,
    );
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(2);
  });
});
