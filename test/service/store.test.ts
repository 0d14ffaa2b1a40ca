import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { openStore } from '../../src/service/store/open.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/service/store/schema.ts';
import { addKey } from './old-store.ts';
import { newStoreLocation } from './store-location.ts';

async function newStore() {
  const path = await newStoreLocation();
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return { path, store };
}

const organizations = (store: Awaited<ReturnType<typeof openStore>>) =>
  store.read((database) => database.selectFrom('organizations').select('organizationId').execute());

async function withKey(store: Awaited<ReturnType<typeof openStore>>) {
  await store.write(addKey);
  return (organizationId: string) => ({ apiKey: 'k', organizationId, createdAt: 0 });
}

describe('the schema', () => {
  it('has the version of the last migration', () => {
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length);
  });

  it('is rejected if a newer svc created it', async () => {
    const { path, store } = await newStore();
    await store.write((database) =>
      database
        .updateTable('schemaVersion')
        .set({ version: SCHEMA_VERSION + 1 })
        .execute(),
    );
    const refused = openStore(path);
    await expect(refused).rejects.toBeInstanceOf(SvcError);
    await expect(refused).rejects.toMatchObject({
      failure: 'local',
      message: `the store ${path} was written by a newer svc`,
    });
  });
});

describe('a transaction', () => {
  it('is rolled back if it fails', async () => {
    const { store } = await newStore();
    const organization = await withKey(store);
    const failing = store.write(async (database) => {
      await database.insertInto('organizations').values(organization('acme')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await organizations(store)).toEqual([]);
  });

  it('is isolated from concurrent transactions', async () => {
    const { store } = await newStore();
    const organization = await withKey(store);
    const count = () =>
      store.write(async (database) => {
        const known = await database.selectFrom('organizations').select('key').execute();
        await new Promise((resolve) => setImmediate(resolve));
        await database
          .insertInto('organizations')
          .values(organization(`${known.length}`))
          .execute();
      });
    await Promise.all(Array.from({ length: 10 }, count));
    expect(await organizations(store)).toHaveLength(10);
  });

  it('fails alone next to others', async () => {
    const { store } = await newStore();
    const organization = await withKey(store);
    const add = (name: string, key = 'k') =>
      store.write((database) =>
        database
          .insertInto('organizations')
          .values({ ...organization(name), apiKey: key })
          .execute(),
      );
    const addThenFail = (name: string) =>
      store.write(async (database) => {
        await database.insertInto('organizations').values(organization(name)).execute();
        throw new Error('no');
      });
    const writes = Array.from({ length: 30 }, (_, n) =>
      n % 3 === 0 ? add(`${n}`) : n % 3 === 1 ? addThenFail(`${n}`) : add(`${n}`, 'unknown'),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
      outcomes.map((_, n) => n % 3 === 0),
    );
    const stored = (await organizations(store)).map(({ organizationId }) => Number(organizationId));
    expect(stored.toSorted((one, other) => one - other)).toEqual([
      0, 3, 6, 9, 12, 15, 18, 21, 24, 27,
    ]);
  });

  it('reads next to others that fail', async () => {
    const { store } = await newStore();
    const reads = Array.from({ length: 40 }, (_, n) =>
      store.read(async (database) => {
        if (n % 4 === 1) await sql`select ${n} from "missing"`.execute(database);
        return (await sql<{ n: number }>`select ${sql.lit(n)} as n`.execute(database)).rows[0]?.n;
      }),
    );
    const outcomes = await Promise.allSettled(reads);
    const results = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value : undefined,
    );
    expect(results).toEqual(results.map((_, n) => (n % 4 === 1 ? undefined : n)));
  });

  it('rejects references to missing rows', async () => {
    const { store } = await newStore();
    const organization = { apiKey: 'no', organizationId: 'acme', createdAt: 0 };
    const orphan = store.write((database) =>
      database.insertInto('organizations').values(organization).execute(),
    );
    await expect(orphan).rejects.toThrow(/foreign key/i);
  });
});
