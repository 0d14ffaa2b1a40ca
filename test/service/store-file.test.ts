import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storeName, storePlace } from '../../src/service/store/location.ts';
import { openStore } from '../../src/service/store/open.ts';
import { openDatabase } from '../../src/service/store/sqlite.ts';
import { temporaryFolder } from '../temporary-folder.ts';

async function newStore() {
  const path = join(await temporaryFolder(), 'deep', 'service.sqlite');
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return { path, store };
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
    ['postgresql://ada@db.example:5433/svc?sslmode=require', 'postgres://ada@db.example:5433/svc?sslmode=require'],
    ['postgres://ada@/svc?host=/run/postgresql', 'postgres://ada@/svc?host=/run/postgresql'],
    ['postgres:///svc', 'postgres:///svc'],
  ])("'%s' stands for %s", (location, file) => {
    expect(storeName(location).endsWith(file)).toBe(true);
  });

  it.each(['postgres:x', 'postgres://a b/c', 'mysql:x', '', 'sqlite:'])("'%s' is no store", (location) => {
    expect(() => storePlace(location)).toThrow(expect.objectContaining({ failure: 'usage' }));
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

  it('answers UNAVAILABLE when another process keeps the lock', async () => {
    const { path } = await newStore();
    const store = await openStore(path, { patience: 50 });
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
