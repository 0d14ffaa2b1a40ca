import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createService } from '../../src/service/embedded.ts';
import { ensureLocalCredentials } from '../../src/service/records/bootstrap.ts';
import { openStore } from '../../src/service/store/open.ts';
import type { Store } from '../../src/service/store/store.ts';
import { closeIdleStores, newStoreLocation } from './store-location.ts';
import { post, startTestService } from './test-service.ts';

// The file of a used store has space for new data.
beforeEach(closeIdleStores);

const ADD = '/v1/users/add';
/** Default limit of SQLite. */
const MAX_PAGES = 0xff_ff_ff_fe;

/** The body of a call that adds this many users. */
function usersBody(count: number): string {
  const added = Array.from({ length: count }, (_, at) => ({
    userId: `u${at}`,
    name: 'x'.repeat(200),
  }));
  return JSON.stringify({ data: { organizationId: 'acme', users: added } });
}

/** Limits the size of the database in pages. SQLite fails in the same way on a full disk. */
async function limitPages(store: Store, pages: number): Promise<void> {
  const limit = (count: number) =>
    store.write((database) => sql`pragma max_page_count = ${sql.lit(count)}`.execute(database));
  await limit(pages);
  // Other tests use the store afterwards.
  onTestFinished(async () => void (await limit(MAX_PAGES)));
}

describe('a full disk', () => {
  it('is reported to the process as a local failure', async () => {
    const { store, path, fetch, keyHeaders } = await startTestService();
    await limitPages(store, 1);
    const refused = post(fetch, ADD, usersBody(2_000), keyHeaders());
    const message = expect.stringMatching(
      new RegExp(`^the disk is full: the store ${path} cannot be written: `),
    );
    await expect(refused).rejects.toMatchObject({ failure: 'local', message });
  });

  it('is RESOURCE_EXHAUSTED for HTTP callers, is reported, and ends once there is space', async () => {
    const { store, handle, reported, keyHeaders } = await startTestService();
    const headers: Record<string, string> = { 'content-type': 'application/json', ...keyHeaders() };
    const body = Buffer.from(usersBody(2_000));
    const call = async () => {
      const request = { method: 'POST', target: ADD, header: (name: string) => headers[name] };
      const { status, body: text } = await handle({
        ...request,
        body: async (intake) => void (await intake(body)),
      });
      return [status, JSON.parse(text).error];
    };
    await limitPages(store, 1);
    const error = { message: 'The disk of the store is full.', status: 'RESOURCE_EXHAUSTED' };
    expect(await call()).toEqual([429, error]);
    expect(reported).toEqual([
      expect.objectContaining({ message: expect.stringContaining('the disk is full') }),
    ]);
    await limitPages(store, 100_000);
    expect(await call()).toEqual([200, undefined]);
  });
});

describe('a write that ends its transaction', () => {
  it('does not affect others at the same time', async () => {
    const { store, credentials } = await startTestService();
    const organization = (organizationId: string) => ({
      apiKey: credentials.apiKey,
      organizationId,
      createdAt: 0,
    });
    const add = (name: string) =>
      store.write((database) =>
        database.insertInto('organizations').values(organization(name)).execute(),
      );
    // Rolls back the whole transaction, as SQLite does on a full disk.
    const end = () =>
      store.write((database) =>
        sql`insert or rollback into organizations select * from organizations`.execute(database),
      );
    const outcomes = await Promise.allSettled([add('before'), end(), add('after')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({
      reason: { message: expect.stringContaining('UNIQUE constraint failed') },
    });
    const stored = await store.read((database) =>
      database.selectFrom('organizations').select('organizationId').orderBy('key').execute(),
    );
    expect(stored.map(({ organizationId }) => organizationId)).toEqual(['before', 'after']);
  });
});

/**
 * Creates a store with damaged data: the start of every page is overwritten, or only of pages with
 * rows.
 */
async function createDamagedStore(damage: 'everywhere' | 'rows'): Promise<string> {
  const path = await newStoreLocation();
  const store = await openStore(path);
  const { apiKey, authToken } = await ensureLocalCredentials(store);
  const { fetch } = createService({
    store,
    clock: { now: Date.now, sleep: async () => undefined },
  });
  await post(fetch, ADD, usersBody(500), {
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  });
  const { rows } = await store.read((database) =>
    sql<{ last: number }>`select max(rootpage) as last from sqlite_master`.execute(database),
  );
  await store.close();
  const bytes = await readFile(path);
  const pageSize = bytes.readUInt16BE(16);
  const firstPage = damage === 'rows' ? (rows[0]?.last ?? 1) : 1;
  for (let at = firstPage * pageSize; at < bytes.length; at += pageSize)
    randomBytes(64).copy(bytes, at);
  await writeFile(path, bytes);
  return path;
}

describe('a damaged store', () => {
  it('is rejected on opening with its path and the reason', async () => {
    const path = await createDamagedStore('everywhere');
    const message = `the store ${path} is damaged: database disk image is malformed`;
    const opening = openStore(path).then(async (store) => {
      onTestFinished(() => store.close());
      await ensureLocalCredentials(store);
    });
    await expect(opening).rejects.toMatchObject({ failure: 'local', message });
  });

  it.each(['read', 'write', 'writeRelaxed'] as const)(
    'fails a %s with its path and the reason',
    async (kind) => {
      const path = await createDamagedStore('rows');
      const store = await openStore(path);
      onTestFinished(() => store.close());
      const message = `the store ${path} is damaged: database disk image is malformed`;
      const work = store[kind]((database) => database.selectFrom('users').selectAll().execute());
      await expect(work).rejects.toMatchObject({
        failure: 'local',
        message,
        refusal: { status: 'DATA_LOSS' },
      });
      // The connection is still usable.
      await store.write((database) =>
        database.updateTable('workspaces').set({ name: 'x' }).execute(),
      );
    },
  );
});
