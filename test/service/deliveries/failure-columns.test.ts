import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { describeDelivery, listDeliveries } from '../../../src/service/deliveries/records.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { addKey, dropFailureColumns } from '../old-store.ts';
import { newStoreLocation } from '../store-location.ts';

/** The last line of the attempts that an older svc recorded, and the reason that it tells. */
const OLD_ATTEMPTS = [
  ['"status":404,"error":null', 'http 4xx'],
  ['"status":503,"error":null', 'http 5xx'],
  ['"status":301,"error":"redirects are not followed"', 'redirect'],
  ['"status":null,"error":"no response within 15 s"', 'timeout'],
  ['"status":null,"error":"connection refused"', 'connection refused'],
  ['"status":null,"error":"the connection was reset"', 'reset'],
  ['"status":null,"error":"unknown host name"', 'dns'],
  ['"status":null,"error":"the certificate has expired"', 'tls'],
  ['"status":null,"error":"not sent: the endpoint was deleted"', 'stopped'],
  ['"status":null,"error":"the response is not HTTP"', 'other'],
] as const;

it('an upgrade keeps the attempts of a store, and finds why the last one failed', async () => {
  const path = await newStoreLocation();
  const old = await openStore(path);
  const rest = { form: 'advanced', lane: 'ep_1', event: 'x', size: 2, tries: 1 } as const;
  await old.write(async (database) => {
    await addKey(database);
    const first = '{"at":"2026-01-01T00:00:00.000Z","status":500,"error":null}\n';
    for (const [at, [last]] of OLD_ATTEMPTS.entries()) {
      const attempts = `${first}{"at":"2026-01-01T00:00:05.000Z",${last}}\n`;
      const id = { id: `msg_${at}`, apiKey: 'k', payload: '{}', owner: null, createdAt: at };
      const ended = { state: 'failed', dueAt: null, trace: null } as const;
      await database
        .insertInto('deliveries')
        .values({ ...id, ...rest, ...ended, attempts })
        .execute();
    }
    await dropFailureColumns(database);
    await sql`update "schemaVersion" set version = 6`.execute(database);
  });
  await old.close();
  const store = await openStore(path);
  onTestFinished(() => store.close());
  const deliveries = (await listDeliveries(store, 'k', {}, 100)).map(describeDelivery).reverse();
  expect(deliveries.map(({ reason }) => reason)).toEqual(OLD_ATTEMPTS.map(([, reason]) => reason));
  expect(deliveries[1]).toMatchObject({
    state: 'exhausted',
    givesUpAt: null,
    attempts: [
      { at: '2026-01-01T00:00:00.000Z', status: 500, error: null, milliseconds: null, body: null },
      { at: '2026-01-01T00:00:05.000Z', status: 503, error: null, milliseconds: null, body: null },
    ],
  });
  const timeouts = await listDeliveries(store, 'k', { reason: 'timeout' }, 100);
  expect(timeouts.map(({ record }) => record.id)).toEqual(['msg_3']);
});
