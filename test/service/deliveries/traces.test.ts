import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/service/store/open.ts';
import { addKey, dropFailureColumns } from '../old-store.ts';
import { newStoreLocation } from '../store-location.ts';
import { type DeliveringWorld, deliveringWorld } from './delivering.ts';
import { receiver } from './receiver.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Causes an event with a call that has the given headers. */
async function comment(world: DeliveringWorld, headers: Record<string, string>): Promise<void> {
  const activities = [
    { featureType: 'comment', actionType: 'comment.add', actionUser: { userId: 'u1' } },
  ];
  const data = { organizationId: 'acme', documentId: 'd1', activities };
  const response = await world.call('/v2/activities/add', data, {
    ...world.keyHeaders(),
    ...headers,
  });
  expect(response.http).toBe(200);
}

it('continues the trace of a call in every attempt of its deliveries', async () => {
  const world = await deliveringWorld();
  const { url, received } = await receiver((_, count) => (count === 1 ? 500 : 200));
  await world.endpoint({ url });
  await comment(world, { traceparent: PARENT, tracestate: 'vendor=a,other=b c' });
  world.deliver({ timeScale: 1 / 10_000 });
  await world.until('delivered');
  const traces = received.map(({ headers: { traceparent, tracestate } }) => [
    traceparent,
    tracestate,
  ]);
  const trace = [PARENT, 'vendor=a,other=b c'];
  expect(traces).toEqual([trace, trace]);
});

it.each([
  ['no trace', {}],
  ['an invalid trace', { traceparent: 'x', tracestate: 'a=b' }],
  ['a trace without an ID', { traceparent: PARENT.replace(/[1-9a-f]/g, '0') }],
  ['a state without a trace', { tracestate: 'a=b' }],
])('adds no header to the deliveries of a call with %s', async (_, headers) => {
  const world = await deliveringWorld();
  const { url, received } = await receiver();
  await world.endpoint({ url });
  await comment(world, headers);
  world.deliver();
  await world.until('delivered');
  expect(Object.keys(received[0]?.headers ?? {})).not.toContain('traceparent');
  expect(Object.keys(received[0]?.headers ?? {})).not.toContain('tracestate');
});

it('keeps the deliveries of a store without traces', async () => {
  const path = await newStoreLocation();
  const old = await openStore(path);
  const delivery = {
    id: 'msg_1',
    apiKey: 'k',
    form: 'advanced',
    lane: 'ep_1',
    event: 'x',
  } as const;
  const rest = { payload: '{}', size: 2, state: 'pending', attempts: '', tries: 0 } as const;
  await old.write(async (database) => {
    await sql`alter table deliveries drop column trace`.execute(database);
    await sql`drop index "participantsByItem"`.execute(database);
    await dropFailureColumns(database);
    await database.updateTable('schemaVersion').set({ version: 4 }).execute();
    await addKey(database);
    const values = { ...delivery, ...rest, dueAt: 1, owner: null, createdAt: 1 };
    await database
      .insertInto('deliveries')
      .values(values as never)
      .execute();
  });
  await old.close();
  const store = await openStore(path);
  onTestFinished(() => store.close());
  const rows = await store.read((database) =>
    database.selectFrom('deliveries').select(['id', 'state', 'trace']).execute(),
  );
  expect(rows).toEqual([{ id: 'msg_1', state: 'pending', trace: null }]);
});
