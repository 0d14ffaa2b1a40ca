import { createServer } from 'node:net';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { getEntry } from '../../src/catalog/manifest.ts';
import { stateSchema } from '../../src/catalog/state.ts';
import { loadSampleCalls } from '../../src/contract/sample-calls.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createService } from '../../src/service/embedded.ts';
import { ensureLocalCredentials } from '../../src/service/records/bootstrap.ts';
import { findOrganization } from '../../src/service/records/organizations.ts';
import { resetState } from '../../src/service/state/reset.ts';
import { exportState, importState } from '../../src/service/state/transfer.ts';
import { type OpenStoreOptions, openStore } from '../../src/service/store/open.ts';
import { decodeText, encodeText } from '../../src/service/store/postgres.ts';
import { Refusal } from '../../src/service/store/refusal.ts';
import { limitStalls } from '../../src/service/store/stall-limit.ts';
import type { Database, Store } from '../../src/service/store/store.ts';
import { listen } from '../listen.ts';
import { repeats } from '../repeats.ts';
import { newStoreLocation } from '../service/store-location.ts';
import { post } from '../service/test-service.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { relayTo } from './relay.ts';

async function opened(place: string, options?: OpenStoreOptions): Promise<Store> {
  const store = await openStore(place, options);
  onTestFinished(() => store.close());
  return store;
}

/** Stops the time that limits shared transactions, for a busy machine. */
function stopTheTime(): void {
  const spy = vi.spyOn(process, 'hrtime').mockReturnValue(process.hrtime());
  onTestFinished(() => spy.mockRestore());
}

async function asked(sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(inject('postgres'));
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\u0001', '\u0002', 'a'), fc.string({ maxLength: 1 })),
});

describe('a text that PostgreSQL stores', () => {
  it('survives a round trip, contains no NUL when stored, and keeps its sort order', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(decodeText(encodeText(one))).toBe(one);
        expect(encodeText(one)).not.toContain('\0');
        const order = (first: string, second: string) =>
          Buffer.compare(Buffer.from(first), Buffer.from(second));
        expect(order(encodeText(one), encodeText(other))).toBe(order(one, other));
      }),
    );
  });
});

describe('a store in PostgreSQL', () => {
  it('exports the same as an SQLite store, in the same order', async () => {
    const stores = [
      await opened(await newStoreLocation()),
      await opened(`${await createTemporaryFolder()}/s.sqlite`),
    ];
    const character = fc.constantFrom(
      'a',
      'A',
      'b',
      'B',
      'é',
      '-',
      '_',
      ' ',
      '🙂',
      '\ue000',
      '\0',
      '\u0001',
      '~',
      '0',
      'ß',
    );
    const ids = fc.uniqueArray(fc.string({ unit: character, minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 9,
    });
    const exported = async (store: Store, state: unknown) => {
      await resetState(store);
      const { apiKey } = await ensureLocalCredentials(store);
      expect(
        await importState({ store, apiKey, now: 1, dryRun: false }, stateSchema.parse(state)),
      ).toEqual([]);
      return JSON.stringify(await exportState(store, apiKey));
    };
    const isAlike = fc.asyncProperty(ids, ids, async (organizations, users) => {
      const own = <Kind>(record: (organizationId: string, id: string) => Kind) =>
        organizations.flatMap((organizationId) => users.map((id) => record(organizationId, id)));
      const state = {
        users: own((organizationId, userId) => ({ organizationId, userId })),
        groups: own((organizationId, groupId) => ({ organizationId, groupId, userIds: users })),
        folders: own((organizationId, id) => ({
          organizationId,
          folderId: `f${id}`,
          createdAt: 0.5,
        })),
        documents: own((organizationId, documentId) => ({ organizationId, documentId })),
        crdt: own((organizationId, editorId) => {
          return { organizationId, documentId: 'd', editorId, type: 'text', data: editorId };
        }),
      };
      const [one, other] = await Promise.all(stores.map((store) => exported(store, state)));
      expect(one).toBe(other);
    });
    await fc.assert(isAlike, { numRuns: repeats(8) });
  });

  it('rejects an ID that is too long for an index as an invalid argument', async () => {
    const store = await opened(await newStoreLocation());
    const { apiKey, authToken } = await ensureLocalCredentials(store);
    const { fetch } = createService({ store, clock: systemClock });
    const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
    const userId = Array.from({ length: 5_000 }, (_, n) =>
      String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)),
    ).join('');
    const body = JSON.stringify({ data: { organizationId: 'acme', users: [{ userId }] } });
    const response = await post(fetch, '/v1/users/add', body, headers);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('an ID is longer');
  });

  it('is rejected in a database whose encoding cannot store every text', async () => {
    await asked(`create database latin encoding 'LATIN1' template template0`);
    const place = inject('postgres')?.replace(/[^/]*$/, 'latin') ?? '';
    await expect(openStore(place)).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining('LATIN1'),
      hint: expect.stringContaining('UTF8'),
    });
  });

  it('is not awaited after an abort', async () => {
    const stopped = new Error('stopped');
    // The server accepts connections, but never responds.
    const silent = await listen(createServer());
    const opening = openStore(`postgres://svc@${silent}/x`, { signal: abortedSoon(stopped) });
    await expect(opening).rejects.toBe(stopped);
  });
});

function abortedSoon(reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 50);
  return controller.signal;
}

/** Starts a write that stays open until it is ended. */
function openWrite(write: (work: (database: Database) => Promise<void>) => Promise<void>) {
  const begun = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const ended = write(async () => {
    begun.resolve();
    await ending.promise;
  });
  return { begun: begun.promise, ended, end: ending.resolve };
}

describe('writes of several processes', () => {
  it('wait for writes of the same API key, and without an API key for all writes', async () => {
    const place = await newStoreLocation();
    const first = await opened(place);
    const other = await opened(place, { busyTimeout: 100 });
    const nothing = async () => undefined;
    const busy = { status: 'UNAVAILABLE', message: 'The store is busy.' };
    const own = openWrite((work) => first.write(work, { apiKey: 'a' }));
    await own.begun;
    await other.write(nothing, { apiKey: 'b' });
    await other.writeRelaxed(nothing);
    await other.read(nothing);
    await expect(other.write(nothing, { apiKey: 'a' })).rejects.toMatchObject(busy);
    await expect(other.write(nothing)).rejects.toMatchObject(busy);
    own.end();
    await own.ended;
    const all = openWrite((work) => first.write(work));
    await all.begun;
    await expect(other.write(nothing, { apiKey: 'b' })).rejects.toMatchObject(busy);
    await expect(other.writeRelaxed(nothing)).rejects.toMatchObject(busy);
    all.end();
    await all.ended;
    await other.write(nothing, { apiKey: 'a' });
  });

  it('in a deadlock both succeed, because one of them is retried', async () => {
    const place = await newStoreLocation();
    const stores = [await opened(place), await opened(place)];
    await ensureLocalCredentials(stores[0] as Store);
    let begun = 0;
    const bothHave = Promise.withResolvers<void>();
    const update = (database: Database, table: 'workspaces' | 'schemaVersion') =>
      table === 'workspaces'
        ? database.updateTable(table).set({ name: 'x' }).execute()
        : database.updateTable(table).set({ version: 3 }).execute();
    const writer = (
      store: Store | undefined,
      tables: readonly ('workspaces' | 'schemaVersion')[],
    ) =>
      store?.writeRelaxed(async (database) => {
        for (const table of tables) {
          await update(database, table);
          begun++;
          if (begun === 2) bothHave.resolve();
          await bothHave.promise;
        }
      });
    await Promise.all([
      writer(stores[0], ['workspaces', 'schemaVersion']),
      writer(stores[1], ['schemaVersion', 'workspaces']),
    ]);
    expect(begun).toBeGreaterThan(4);
  });
});

describe('concurrent writes of an API key', () => {
  const transactionOf = async (database: Database) =>
    (await sql<{ id: string }>`select txid_current()::text as id`.execute(database)).rows[0]?.id;

  it('share a transaction, and those of another key have their own', async () => {
    const store = await opened(await newStoreLocation());
    stopTheTime();
    const ids = await Promise.all(
      ['a', 'a', 'a', 'b'].map((apiKey) => store.write(transactionOf, { apiKey })),
    );
    expect(new Set(ids.slice(0, 3)).size).toBe(1);
    expect(new Set(ids).size).toBe(2);
  });

  it('overlap in the transaction if their organizations differ', async () => {
    const store = await opened(await newStoreLocation());
    const { apiKey } = await ensureLocalCredentials(store);
    stopTheTime();
    const log: string[] = [];
    const slowest = Promise.withResolvers<void>();
    const write = (organizationId: string, name: string) =>
      store.write(
        async (database) => {
          log.push(`${name} begins`);
          await findOrganization({ database, apiKey }, organizationId);
          if (organizationId === 'slow') await slowest.promise;
          else if (name === 'last') slowest.resolve();
          log.push(`${name} ends`);
        },
        { apiKey, organizationId },
      );
    await Promise.all([write('slow', 'slow'), write('quick', 'first'), write('quick', 'last')]);
    expect(log.slice(0, 2)).toEqual(['slow begins', 'first begins']);
    expect(log.slice(2)).toEqual(['first ends', 'last begins', 'last ends', 'slow ends']);
  });

  it('do not affect each other if one is refused or breaks a statement', async () => {
    const store = await opened(await newStoreLocation());
    const credentials = await ensureLocalCredentials(store);
    const rename = (name: string, after?: (database: Database) => unknown) =>
      store.write(async (database) => {
        const renamed = database.updateTable('workspaces').set({ name });
        await renamed.where('name', 'not like', `%${name}`).execute();
        await after?.(database);
        return database.selectFrom('workspaces').select('name').executeTakeFirst();
      }, credentials);
    const outcomes = await Promise.allSettled([
      rename('one'),
      rename('two', () => {
        throw new Refusal('NOT_FOUND', 'no');
      }),
      rename('three', (database) => sql`select 1 / 0`.execute(database)),
      store.write(
        (database) => database.selectFrom('workspaces').select('name').executeTakeFirst(),
        credentials,
      ),
    ]);
    expect(outcomes).toMatchObject([
      { value: { name: 'one' } },
      { reason: { status: 'NOT_FOUND' } },
      { reason: { status: 'INVALID_ARGUMENT' } },
      { value: { name: 'one' } },
    ]);
  });
});

describe('calls of several organizations', async () => {
  const organizations = Array.from({ length: 6 }, (_, n) => `org-${n}`);
  const known = { apiKey: '', last: () => '' };
  const calls = await loadSampleCalls();
  const all = calls.map(([name, createData]) => ({ ...getEntry(name), data: createData(known) }));
  const writes = all.filter(({ effect, data }) => effect !== 'read' && 'organizationId' in data);

  /** Makes the calls for each organization in order. Returns their messages and the new state. */
  async function play(run: (chains: readonly (() => Promise<unknown>)[]) => Promise<unknown>) {
    const store = await opened(await newStoreLocation());
    await resetState(store);
    const { apiKey, authToken } = await ensureLocalCredentials(store);
    const { fetch, whenIdle } = createService({ store, clock: { ...systemClock, now: () => 1 } });
    const headers = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken };
    const messages = new Map(
      organizations.map((organizationId) => [organizationId, [] as string[]]),
    );
    const chains = organizations.map((organizationId) => async () => {
      for (const { name, path, data } of writes) {
        const body = JSON.stringify({ data: { ...data, organizationId } });
        const response = await post(fetch, path, body, headers);
        const { error, result } = JSON.parse(await response.text());
        messages.get(organizationId)?.push(`${name}: ${(error ?? result).message}`);
        // A migration changes documents after its response.
        if (name === 'documents.migrate') await whenIdle();
      }
    });
    await run(chains);
    await whenIdle();
    const state = Object.entries(await exportState(store, apiKey)).map(([kind, records]) => [
      kind,
      Array.isArray(records) ? records.map(maskGeneratedIds).toSorted() : records,
    ]);
    return { messages, state };
  }

  const maskGeneratedIds = (record: unknown) =>
    JSON.stringify(record).replace(/"[0-9a-f]{32}"/g, '"generated"');

  it('have the same effects at once as one after another', SLOW, async () => {
    const alone = await play(async (chains) => {
      for (const chain of chains) await chain();
    });
    const together = await play((chains) => Promise.all(chains.map((chain) => chain())));
    expect(together).toEqual(alone);
    const filled = alone.state.filter(
      ([, records]) => Array.isArray(records) && records.length > 0,
    );
    expect(filled.map(([kind]) => kind)).toEqual(
      expect.arrayContaining(['folders', 'documents', 'users', 'groups', 'activities', 'crdt']),
    );
  });
});

describe('prepared statements', () => {
  it('that the server has forgotten are sent again, as behind a pooler', async () => {
    const store = await opened(await newStoreLocation());
    const { apiKey } = await ensureLocalCredentials(store);
    const read = () => store.read((database) => findOrganization({ database, apiKey }, 'acme'));
    const prepared = await store.read(
      async (database) =>
        (
          await sql<{ count: number }>`
          select count(*) as count from pg_prepared_statements where name like ${'svc %'}`.execute(
            database,
          )
        ).rows[0]?.count,
    );
    expect(prepared).toBeGreaterThan(0);
    // On all connections.
    for (let round = 0; round < 2; round++) {
      await Promise.all(Array.from({ length: 30 }, read));
      await Promise.all(
        Array.from({ length: 30 }, () =>
          store.write((database) => sql`deallocate all`.execute(database), { apiKey }),
        ),
      );
      await Promise.all([
        store.write(
          async (database) => {
            const found = await findOrganization({ database, apiKey }, 'acme');
            expect(found).toBeUndefined();
          },
          { apiKey },
        ),
        ...Array.from({ length: 30 }, read),
      ]);
    }
  });
});

describe('a connection that is lost', () => {
  it('is UNAVAILABLE for its transaction, and replaced for the next one', async () => {
    const store = await opened(`${await newStoreLocation()}&application_name=lost`);
    await ensureLocalCredentials(store);
    const write = openWrite((work) =>
      store.write(async (database) => {
        await work(database);
        await database.updateTable('workspaces').set({ name: 'lost' }).execute();
      }),
    );
    await write.begun;
    await asked(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost'`,
    );
    write.end();
    await expect(write.ended).rejects.toMatchObject({
      status: 'UNAVAILABLE',
      message: 'The store cannot be reached.',
    });
    const names = await store.read((database) =>
      database.selectFrom('workspaces').select('name').execute(),
    );
    expect(names).toEqual([{ name: 'Local workspace' }]);
  });
});

describe('a server that cannot store', () => {
  it.each([
    ['53100', 'the disk is full: ', 'RESOURCE_EXHAUSTED'],
    ['XX001', 'the store ', 'DATA_LOSS'],
    ['XX002', 'the store ', 'DATA_LOSS'],
  ])('is reported as such, by the code %s', async (code, beginning, status) => {
    const place = await newStoreLocation();
    const store = await opened(place);
    const failing = store.write((database) =>
      sql`do ${sql.lit(`begin raise exception 'no luck' using errcode = '${code}'; end`)}`.execute(
        database,
      ),
    );
    await expect(failing).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringMatching(new RegExp(`^${beginning}.*: no luck$`)),
      refusal: { status },
    });
  });
});

describe('a database that does not allow writes', () => {
  const add = (store: Store) =>
    store.write((database) =>
      database.insertInto('schemaVersion').values({ version: 0 }).execute(),
    );

  it('because its transactions are read-only is a failed precondition at once', async () => {
    const place = await newStoreLocation();
    await opened(place);
    const options = `${new URL(place).searchParams.get('options')} -c default_transaction_read_only=on`;
    const url = new URL(place);
    url.search = `options=${encodeURIComponent(options)}`;
    const store = await opened(url.href);
    await expect(add(store)).rejects.toMatchObject({ status: 'FAILED_PRECONDITION' });
    await expect(
      openStore(url.href.replace(/test_\w+/, 'public')).then(ensureLocalCredentials),
    ).rejects.toMatchObject({ failure: 'failed_precondition' });
  });

  it('because its user lacks the rights is a failed precondition at once', async () => {
    const url = new URL(await newStoreLocation());
    await opened(url.href);
    const schema = url.searchParams.get('options')?.split('=')[1];
    await asked('create role reader login');
    await asked(
      `grant usage on schema ${schema} to reader; grant select on all tables in schema ${schema} to reader`,
    );
    url.username = 'reader';
    await expect(add(await opened(url.href))).rejects.toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: expect.stringContaining('permission denied'),
    });
  });
});

describe('a database that stops responding', () => {
  it('is UNAVAILABLE for calls after a limit, which answers to their statements extend', async () => {
    const url = new URL(await newStoreLocation());
    const store = await opened(url.href);
    const limited = limitStalls(store, 300);
    const sleep = (seconds: number, times = 1) =>
      limited.read(async (database) => {
        for (let n = 0; n < times; n++) await sql`select pg_sleep(${seconds})`.execute(database);
      });
    await sleep(0.1, 6);
    const others = setInterval(
      () => void store.read((database) => sql`select 1`.execute(database)).catch(() => undefined),
      50,
    );
    await expect(sleep(2)).rejects.toMatchObject({ status: 'UNAVAILABLE' });
    clearInterval(others);
  });
});

describe('a URL with several hosts', () => {
  it('uses the first host that responds, and another one if it stops', async () => {
    const url = new URL(await newStoreLocation());
    const relay = await relayTo(url);
    const at = (...hosts: readonly string[]) => url.href.replace(url.host, hosts.join(','));
    const store = await opened(at('127.0.0.1:1', `127.0.0.1:${relay.port}`, url.host));
    await ensureLocalCredentials(store);
    await relay.close();
    expect(
      await store.read((database) => database.selectFrom('workspaces').select('name').execute()),
    ).toHaveLength(1);
    await expect(openStore(at('127.0.0.1:1', '127.0.0.1:2'))).rejects.toMatchObject({
      failure: 'unreachable',
    });
  });
});

describe('target_session_attrs', () => {
  it('limits the hosts to those that accept writes', async () => {
    const url = new URL(await newStoreLocation());
    await opened(`${url.href}&target_session_attrs=primary`);
    await opened(`${url.href}&target_session_attrs=any`);
    const options = url.searchParams.get('options');
    url.searchParams.set('options', `${options} -c default_transaction_read_only=on`);
    await opened(url.href.replaceAll('+', '%20'));
    url.searchParams.set('target_session_attrs', 'read-write');
    await expect(openStore(url.href.replaceAll('+', '%20'))).rejects.toMatchObject({
      failure: 'failed_precondition',
      message: expect.stringContaining('no host of the URL accepts writes'),
    });
  });

  it.each(['standby', 'read-only', 'prefer-standby', 'x'])('cannot be %s', async (value) => {
    const url = `postgres://svc@127.0.0.1:1/svc?target_session_attrs=${value}`;
    await expect(openStore(url)).rejects.toMatchObject({
      failure: 'usage',
      message: `--store: svc does not support target_session_attrs=${value}`,
    });
  });
});

describe('connections', () => {
  it('that were closed while idle are replaced transparently', async () => {
    const url = new URL(await newStoreLocation());
    const relay = await relayTo(url);
    url.port = String(relay.port);
    const store = await opened(url.href);
    const reads = () =>
      Promise.all(
        Array.from({ length: 5 }, () =>
          store.read((database) => database.selectFrom('users').selectAll().execute()),
        ),
      );
    await reads();
    relay.dropAll();
    await reads();
    relay.dropAll();
    await ensureLocalCredentials(store);
    expect(relay.dropped()).toBeGreaterThan(5);
    expect(
      await store.read((database) => database.selectFrom('workspaces').select('name').execute()),
    ).toHaveLength(1);
  });

  it('are awaited if the server allows only a few', async () => {
    const url = new URL(await newStoreLocation());
    await asked('create role few login connection limit 2');
    const schema = url.searchParams.get('options')?.split('=')[1];
    await opened(url.href);
    await asked(
      `grant all on schema ${schema} to few; grant all on all tables in schema ${schema} to few`,
    );
    url.username = 'few';
    const store = await opened(url.href);
    const count = 40;
    const read = () =>
      store.read((database) => database.selectFrom('users').select('userId').execute());
    await expect(Promise.all(Array.from({ length: count }, read))).resolves.toHaveLength(count);
  });
});
