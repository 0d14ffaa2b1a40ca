import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { startDeliveries } from '../../src/service/deliveries/engine.ts';
import { openStore } from '../../src/service/store/open.ts';
import type { PeerListener } from '../../src/service/store/peers.ts';
import { openPostgres } from '../../src/service/store/postgres.ts';
import { postgresPeers } from '../../src/service/store/postgres-peers.ts';
import { eventually } from '../eventually.ts';
import { deliveringWorld } from '../service/deliveries/delivering.ts';
import { receiver } from '../service/deliveries/receiver.ts';
import { newStorePlace } from '../service/store-place.ts';

/** A clock whose pauses of a look or more are as long as `pause` says. */
function clockWith(pause: Clock['sleep']): Clock {
  return {
    now: systemClock.now,
    sleep: (milliseconds, signal) => (milliseconds < 500 ? systemClock.sleep : pause)(milliseconds, signal),
  };
}

const untilWoken: Clock['sleep'] = (_, signal) =>
  new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
const briefly: Clock['sleep'] = (_, signal) => systemClock.sleep(20, signal);

const deaf: PeerListener = { told: () => undefined, gone: () => undefined };

/** Connections to a place, for the time of a test. */
function database(place: string) {
  const opened = openPostgres(place);
  onTestFinished(() => opened.kysely.destroy());
  return opened;
}

describe('a delivery that another process causes', () => {
  it('is sent when that has told, with no look at the outbox between', async () => {
    const { url, received } = await receiver();
    const { path, endpoint, comment, until } = await deliveringWorld();
    await endpoint({ url });
    const store = await openStore(path);
    const clock = clockWith(untilWoken);
    const deliveries = startDeliveries(store, { clock, privateTargets: true });
    onTestFinished(async () => {
      await deliveries.stop();
      await store.close();
    });
    await comment();
    await until('delivered');
    await comment();
    await until('delivered', 'delivered');
    expect(received).toHaveLength(2);
  });
});

describe('a peer', () => {
  it('hears each that tells, and itself not', async () => {
    const place = await newStorePlace();
    const [one, other, elsewhere] = [place, place, await newStorePlace()].map((each) => {
      const { kysely, connect } = database(each);
      return postgresPeers(kysely, connect);
    });
    const told = { one: vi.fn(), other: vi.fn() };
    const clock = clockWith(untilWoken);
    const members = await Promise.all([
      one?.join(clock, { ...deaf, told: told.one }),
      other?.join(clock, { ...deaf, told: told.other }),
    ]);
    onTestFinished(async () => void (await Promise.all(members.map((member) => member?.leave()))));
    expect(members.map((member) => member?.hears)).toEqual([true, true]);
    // Each looks around when it comes.
    expect([told.one.mock.calls.length, told.other.mock.calls.length]).toEqual([1, 1]);
    await elsewhere?.tell();
    await one?.tell();
    await eventually(() => expect(told.other).toHaveBeenCalledTimes(2));
    await other?.tell();
    await eventually(() => expect(told.one).toHaveBeenCalledTimes(2));
    expect(told.other).toHaveBeenCalledTimes(2);
  });

  it('knows that it hears nothing where words do not come through', async () => {
    const [place, elsewhere] = [await newStorePlace(), await newStorePlace()];
    const peers = postgresPeers(database(place).kysely, database(elsewhere).connect);
    const clock = clockWith((milliseconds, signal) => (milliseconds > 5_000 ? untilWoken : briefly)(0, signal));
    const member = await peers.join(clock, deaf);
    expect(member.hears).toBe(false);
    await member.leave();
  });

  it('is missed when it has been away for three looks, and not when it comes back', async () => {
    const place = await newStorePlace();
    const [own, others] = [database(place), database(place)];
    let [process, mayConnect] = [0, true];
    const connect = async () => {
      if (!mayConnect) throw new Error('gone for good');
      const client = await own.connect();
      process = (client as Client & { processID: number }).processID;
      return client;
    };
    const gone = vi.fn();
    const looks = steppedLooks();
    const watching = await postgresPeers(others.kysely, others.connect).join(looks.clock, { ...deaf, gone });
    const member = await postgresPeers(own.kysely, connect).join(clockWith(briefly), deaf);
    onTestFinished(async () => void (await Promise.all([watching.leave(), member.leave()])));
    await looks.next();
    const first = process;
    await terminate(process);
    await looks.next();
    await eventually(() => expect([process !== first, member.hears]).toEqual([true, true]));
    await looks.next();
    await looks.next();
    expect([watching.hasGone(member.name), gone.mock.calls.length]).toEqual([false, 0]);
    mayConnect = false;
    await terminate(process);
    await eventually(() => expect(member.hears).toBe(false));
    await looks.next();
    await looks.next();
    expect(watching.hasGone(member.name)).toBe(false);
    await looks.next();
    expect([watching.hasGone(member.name), gone.mock.calls.length]).toEqual([true, 1]);
    // Nobody can miss whoever never came.
    expect(watching.hasGone('1234:abcd')).toBe(false);
  });
});

/** A clock whose pauses between two looks end when `next` is called, which resolves after the look. */
function steppedLooks() {
  let paused = Promise.withResolvers<void>();
  let step: () => void = () => undefined;
  const clock = clockWith((milliseconds, signal) => {
    if (milliseconds !== 1_000) return systemClock.sleep(milliseconds, signal);
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      step = resolve;
      paused.resolve();
    });
  });
  const next = async () => {
    await paused.promise;
    paused = Promise.withResolvers();
    step();
    await paused.promise;
  };
  return { clock, next };
}

async function terminate(process: number): Promise<void> {
  const client = new Client(inject('postgres'));
  await client.connect();
  await client.query('select pg_terminate_backend($1)', [process]);
  // It gives its locks back before it goes.
  const left = () => client.query('select from pg_stat_activity where pid = $1', [process]);
  await eventually(async () => expect((await left()).rowCount).toBe(0));
  await client.end();
}
