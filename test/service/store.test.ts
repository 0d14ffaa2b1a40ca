import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { storeFile } from '../../src/service/store/location.ts';
import { MIGRATIONS } from '../../src/service/store/migrations.ts';
import { openStore } from '../../src/service/store/open.ts';
import { SCHEMA_VERSION } from '../../src/service/store/schema.ts';
import { openDatabase } from '../../src/service/store/sqlite.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function newStore() {
  const path = join(await temporaryFolder(), 'deep', 'service.sqlite');
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return { path, store };
}

const organizations = (store: Awaited<ReturnType<typeof openStore>>) =>
  store.read((database) => database.selectFrom('organizations').select('organizationId').execute());

async function withKey(store: Awaited<ReturnType<typeof openStore>>) {
  const owner = { ownerId: '', ownerName: '', ownerEmail: '', ownerAvatar: '' };
  await store.write(async (database) => {
    await database
      .insertInto('workspaces')
      .values({ id: 'w', name: '', authToken: '', signingKey: '', ...owner })
      .execute();
    await database.insertInto('apiKeys').values({ id: 'k', workspaceId: 'w', apiKeyName: '', type: '' }).execute();
  });
  return (organizationId: string) => ({ apiKey: 'k', organizationId, createdAt: 0 });
}

describe('a store file', () => {
  it('is for its owner alone, in a folder for its owner alone', async () => {
    const { path } = await newStore();
    const modes = await Promise.all(
      [path, `${path}-wal`, join(path, '..')].map(async (each) => (await stat(each)).mode),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['600', '600', '700']);
  });

  it('keeps a write-ahead log and waits for the disk', async () => {
    const { path } = await newStore();
    const database = await openDatabase(path, 0);
    onTestFinished(() => database.close());
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it.each([
    ['x.sqlite', 'x.sqlite'],
    ['sqlite:/tmp/x', '/tmp/x'],
    ['C:\\x.sqlite', 'C:\\x.sqlite'],
    ['a:b', 'a:b'],
  ])("'%s' stands for %s", (location, file) => {
    expect(storeFile(location).endsWith(file)).toBe(true);
  });

  it.each(['postgres://host/x', 'mysql:x', '', 'sqlite:'])("'%s' is no store", (location) => {
    expect(() => storeFile(location)).toThrow(expect.objectContaining({ failure: 'usage' }));
  });

  it('that is something else is refused, and left alone', async () => {
    const path = join(await temporaryFolder(), 'notes.txt');
    await writeFile(path, 'not a database, but more than a hundred bytes long: '.repeat(10));
    await expect(openStore(path)).rejects.toMatchObject({ failure: 'local', message: expect.stringContaining(path) });
    expect((await stat(path)).size).toBe(520);
  });

  it('in a folder that cannot be made is refused', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    await expect(openStore(join(path, 'x.sqlite'))).rejects.toMatchObject({ failure: 'local' });
  });
});

describe('the schema', () => {
  it('has the version of the last migration', () => {
    expect(SCHEMA_VERSION).toBe(MIGRATIONS.length);
  });

  it('of a newer svc is refused', async () => {
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
  it('that fails leaves nothing behind', async () => {
    const { store } = await newStore();
    const organization = await withKey(store);
    const failing = store.write(async (database) => {
      await database.insertInto('organizations').values(organization('acme')).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await organizations(store)).toEqual([]);
  });

  it('is alone: what two do at once does not mix', async () => {
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

  it('refuses what refers to nothing', async () => {
    const { store } = await newStore();
    const organization = { apiKey: 'no', organizationId: 'acme', createdAt: 0 };
    const orphan = store.write((database) => database.insertInto('organizations').values(organization).execute());
    await expect(orphan).rejects.toThrow('FOREIGN KEY');
  });

  it('answers UNAVAILABLE when another process keeps the lock', { timeout: 30_000 }, async () => {
    const { path } = await newStore();
    const store = await openStore(path, 50);
    onTestFinished(() => store.close());
    const other = await openDatabase(path, 0);
    onTestFinished(() => other.close());
    other.exec('begin immediate');
    const refused = store.write(async () => undefined);
    await expect(refused).rejects.toMatchObject({ status: 'UNAVAILABLE' });
    other.exec('rollback');
    await store.write(async () => undefined);
  });
});
