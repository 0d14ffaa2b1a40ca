import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { startDeliveries } from '../../src/service/deliveries/engine.ts';
import { openStore } from '../../src/service/store/open.ts';
import { openPostgres } from '../../src/service/store/postgres.ts';
import { createPostgresPeers } from '../../src/service/store/postgres-peers.ts';
import { eventually } from '../eventually.ts';
import { deliveringWorld } from '../service/deliveries/delivering.ts';
import { receiver } from '../service/deliveries/receiver.ts';
import { newStoreLocation } from '../service/store-location.ts';

/** Creates a clock that replaces pauses of a poll interval or more with `pause`. */
function clockWith(pause: Clock['sleep']): Clock {
  return {
    now: systemClock.now,
    sleep: (milliseconds, signal) =>
      (milliseconds < 500 ? systemClock.sleep : pause)(milliseconds, signal),
  };
}

const untilWoken: Clock['sleep'] = (_, signal) =>
  new Promise((__, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
const briefly: Clock['sleep'] = (_, signal) => systemClock.sleep(20, signal);

const ignore = () => undefined;

/** Opens connections to a database for the duration of a test. */
function database(place: string) {
  const opened = openPostgres(place);
  onTestFinished(() => opened.kysely.destroy());
  return opened;
}

describe('a delivery that another process causes', () => {
  it('is sent after its notification, without polling the outbox', async () => {
    const { url, received } = await receiver();
    const { path, endpoint, comment, until } = await deliveringWorld();
    await endpoint({ url });
    const store = await openStore(path);
    const clock = clockWith(untilWoken);
    const deliveries = startDeliveries(store, { clock, allowPrivateTargets: true });
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
  it('receives the notifications of all peers, but not its own', async () => {
    const place = await newStoreLocation();
    const [one, other, elsewhere] = [place, place, await newStoreLocation()].map((each) => {
      const { kysely, connect } = database(each);
      return createPostgresPeers(kysely, connect);
    });
    const told = { one: vi.fn(), other: vi.fn() };
    const clock = clockWith(untilWoken);
    const members = await Promise.all([one?.join(clock, told.one), other?.join(clock, told.other)]);
    onTestFinished(async () => void (await Promise.all(members.map((member) => member?.leave()))));
    expect(members.map((member) => member?.isReceiving)).toEqual([true, true]);
    // Each peer is notified once when it joins.
    expect([told.one.mock.calls.length, told.other.mock.calls.length]).toEqual([1, 1]);
    await elsewhere?.notify();
    await one?.notify();
    await eventually(() => expect(told.other).toHaveBeenCalledTimes(2));
    await other?.notify();
    await eventually(() => expect(told.one).toHaveBeenCalledTimes(2));
    expect(told.other).toHaveBeenCalledTimes(2);
  });

  it('detects that notifications do not arrive', async () => {
    const [place, elsewhere] = [await newStoreLocation(), await newStoreLocation()];
    const peers = createPostgresPeers(database(place).kysely, database(elsewhere).connect);
    const clock = clockWith((milliseconds, signal) =>
      (milliseconds > 5_000 ? untilWoken : briefly)(0, signal),
    );
    const member = await peers.join(clock, ignore);
    expect(member.isReceiving).toBe(false);
    await member.leave();
  });

  it('counts as lost if it is missing in two checks, but not if it reconnects', async () => {
    const place = await newStoreLocation();
    const [own, others] = [database(place), database(place)];
    let [process, mayConnect] = [0, true];
    const connect = async () => {
      if (!mayConnect) throw new Error('gone for good');
      const client = await own.connect();
      process = (client as Client & { processID: number }).processID;
      return client;
    };
    const clock = clockWith(briefly);
    const watching = await createPostgresPeers(others.kysely, others.connect).join(clock, ignore);
    const member = await createPostgresPeers(own.kysely, connect).join(clock, ignore);
    onTestFinished(async () => void (await Promise.all([watching.leave(), member.leave()])));
    const hasDisappeared = async (name = member.name) =>
      (await watching.selectDisappeared([name], others.kysely)).length > 0;
    const check = () => watching.hasLostPeer(others.kysely);
    expect(await check()).toBe(false);
    const first = process;
    await terminate(process);
    await eventually(() => expect([process !== first, member.isReceiving]).toEqual([true, true]));
    expect([await check(), await check(), await hasDisappeared()]).toEqual([false, false, false]);
    mayConnect = false;
    await terminate(process);
    await eventually(() => expect(member.isReceiving).toBe(false));
    expect([await check(), await check()]).toEqual([false, true]);
    // Each loss is reported once.
    expect(await check()).toBe(false);
    expect(await hasDisappeared()).toBe(true);
    // A process that never joined cannot be lost.
    expect(await hasDisappeared('1234:abcd')).toBe(false);
  });

  it('does not count as lost if it joined after the last poll', async () => {
    const place = await newStoreLocation();
    const [one, other] = [database(place), database(place)];
    const clock = clockWith(untilWoken);
    const watching = await createPostgresPeers(one.kysely, one.connect).join(clock, ignore);
    const member = await createPostgresPeers(other.kysely, other.connect).join(clock, ignore);
    const selectDisappeared = () => watching.selectDisappeared([member.name], one.kysely);
    expect(await selectDisappeared()).toEqual([]);
    await member.leave();
    await eventually(async () => expect(await selectDisappeared()).toEqual([member.name]));
    await watching.leave();
  });
});

async function terminate(process: number): Promise<void> {
  const client = new Client(inject('postgres'));
  await client.connect();
  await client.query('select pg_terminate_backend($1)', [process]);
  // The connection releases its locks before it ends.
  const left = () => client.query('select from pg_stat_activity where pid = $1', [process]);
  await eventually(async () => expect((await left()).rowCount).toBe(0));
  await client.end();
}
