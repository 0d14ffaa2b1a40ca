import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkStoreLocation } from '../../src/kernel/store-location.ts';
import { displayStoreLocation, parseStoreLocation } from '../../src/service/store/location.ts';
import { openStore } from '../../src/service/store/open.ts';
import { openDatabase } from '../../src/service/store/sqlite.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

async function createStore() {
  const path = join(await createTemporaryFolder(), 'deep', 'service.sqlite');
  const store = await openStore(path);
  onTestFinished(() => store.close());
  return { path, store };
}

/** Reads all files of a folder as base64, except SQLite's shared memory, which holds no data. */
async function readFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).filter((name) => !name.endsWith('-shm'));
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name), 'base64')] as const),
    ),
  );
}

describe('a store file', () => {
  it('is private to its owner, in a private folder', async () => {
    const { path } = await createStore();
    const modes = await Promise.all(
      [path, `${path}-wal`, join(path, '..')].map(async (file) => (await stat(file)).mode),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['600', '600', '700']);
  });

  it('has a write-ahead log and waits for the disk', async () => {
    const { path } = await createStore();
    const database = await openDatabase(path, 0);
    onTestFinished(() => database.close());
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
  });

  it.each([
    ['x.sqlite', 'x.sqlite'],
    ['sqlite:/tmp/x', '/tmp/x'],
    ['C:\\x.sqlite', 'C:\\x.sqlite'],
    ['a:b', 'a:b'],
    [
      'postgresql://ada@db.example:5433/svc?sslmode=require',
      'postgres://ada@db.example:5433/svc?sslmode=require',
    ],
    ['postgres://ada@/svc?host=/run/postgresql', 'postgres://ada@/svc?host=/run/postgresql'],
    ['postgres:///svc', 'postgres:///svc'],
    ['postgres://ada@one,two:5433/svc', 'postgres://ada@one,two:5433/svc'],
    ['./host=x.sqlite', 'host=x.sqlite'],
    ['sqlite:///tmp/x', '/tmp/x'],
    [
      'postgres://ada@db.example/svc?options=-c%20search_path%3Dtenant_b&application_name=a',
      'postgres://ada@db.example/svc?options=-c%20search_path%3Dtenant_b&application_name=a',
    ],
  ])("'%s' resolves to %s", (location, file) => {
    expect(displayStoreLocation(location).endsWith(file)).toBe(true);
  });

  it.each([
    'postgres:x',
    ' postgres://ada@db.example/svc',
    '"postgres://ada@db.example/svc"',
    'postgres//ada@db.example/svc',
    'postgres://ada@db.example/svc#x',
    'postgres://a b/c',
    'mysql:x',
    '',
    'sqlite:',
    'POSTGRES://ada@db.example/svc',
    'Postgresql://ada@db.example/svc',
    'PG:svc',
    'jdbc:postgresql://db.example/svc',
    'SQLite:x.sqlite',
    'sqlite://x.sqlite',
    'FILE:///tmp/x.sqlite',
    'dbname=svc host=127.0.0.1 user=ada',
    " host = 'db.example' dbname=svc",
    'ada@db.example:5432/svc',
    '127.0.0.1:5432/svc',
    ':memory:',
    'sqlite::memory:',
    'file::memory:?cache=shared',
    'postgres://ada@db.example/svc?sslmdoe=verify-full',
    'postgres://ada@db.example/svc?sslmode=verify',
    'postgres://ada@db.example/svc?connect_timeout=5s',
    'postgres://ada@db.example/svc?keepalives_idle=',
    'postgres://ada@db.example/svc?schema=tenant_b',
    'postgres://ada@db.example/svc?search_path=nosuch',
    'postgres://ada@db.example/svc?SSLMODE=require',
    'postgres://ada@db.example/svc?service=other',
    'postgres://ada@db.example/svc?hostaddr=10.0.0.1',
    'postgres://ada@db.example/svc?dbname=other',
    'postgres://ada@db.example/svc?uselibpqcompat=true',
  ])("'%s' is not a store", (location) => {
    expect(() => parseStoreLocation(location)).toThrow(
      expect.objectContaining({ failure: 'usage' }),
    );
  });

  it('names a missing file of a parameter', async () => {
    const opening = openStore('postgres://ada@127.0.0.1:1/svc?sslrootcert=/nosuch.pem');
    await expect(opening).rejects.toMatchObject({
      failure: 'local',
      message: 'cannot read /nosuch.pem: no such file',
      hint: expect.stringContaining('sslrootcert'),
    });
  });

  it.each(['?schema=tenant_b', '?search_path=tenant_b', '?currentSchema=tenant_b'])(
    'suggests the parameter of libpq for a schema in %s',
    (parameters) => {
      expect(() => parseStoreLocation(`postgres://ada@db.example/svc${parameters}`)).toThrow(
        expect.objectContaining({
          hint: expect.stringContaining('?options=-c%20search_path%3Dtenant_b'),
        }),
      );
    },
  );

  it('does not repeat the password of a connection string', () => {
    expect(() => checkStoreLocation("dbname=svc password='p w' host=db")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('p w') }),
    );
  });

  it('becomes a store if it is empty', async () => {
    const path = join(await createTemporaryFolder(), 'empty.sqlite');
    await writeFile(path, '');
    const store = await openStore(path);
    onTestFinished(() => store.close());
    expect((await readFile(path)).subarray(0, 15).toString()).toBe('SQLite format 3');
  });

  it.each(['short', 'not a database, but more than a hundred bytes long: '.repeat(10)])(
    'is rejected unchanged if it is not an SQLite file: %j',
    async (text) => {
      const path = join(await createTemporaryFolder(), 'notes.txt');
      await writeFile(path, text);
      const message = `cannot open the store ${path}: it is not an SQLite file`;
      await expect(openStore(path)).rejects.toMatchObject({ failure: 'local', message });
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  it.each([
    [
      'with a rollback journal',
      'create table notes (text); insert into notes values (1)',
      undefined,
    ],
    ['with a write-ahead log', 'pragma journal_mode = wal; create table users (name)', undefined],
    [
      'with all its tables in a write-ahead log',
      'pragma journal_mode = wal; create table users (name)',
      'copy',
    ],
    ['with a table of the same name', 'create table schemaVersion (version integer)', undefined],
  ])('is rejected unchanged if it belongs to another program, %s', async (_, sql, copy) => {
    const folder = await createTemporaryFolder();
    const path = join(folder, 'foreign.sqlite');
    const database = await openDatabase(path, 0);
    database.exec(sql);
    const target = copy ? join(await createTemporaryFolder(), 'foreign.sqlite') : path;
    // A copy of an open database equals the files that a killed process leaves behind.
    if (copy) for (const end of ['', '-wal']) await copyFile(path + end, target + end);
    database.close();
    const before = await readFiles(dirname(target));
    const message = `cannot open the store ${target}: it is an SQLite database of another program`;
    await expect(openStore(target)).rejects.toMatchObject({ failure: 'local', message });
    expect(await readFiles(dirname(target))).toEqual(before);
  });

  it('without its mark, as restored from a dump, is rejected with the command that marks it', async () => {
    const { path } = await createStore();
    const [folder, dumped] = [await createTemporaryFolder(), await openDatabase(path, 0)];
    const copy = join(folder, "it's a copy.sqlite");
    dumped.prepare('vacuum into ?').run(copy);
    dumped.close();
    const restored = await openDatabase(copy, 0);
    restored.exec('pragma application_id = 0');
    restored.close();
    const error: { hint?: string } = await openStore(copy).then(
      () => ({}),
      (thrown: { hint?: string }) => thrown,
    );
    const [, statement = ''] =
      /sqlite3 \S.* '(pragma application_id = \d+)'$/.exec(String(error.hint)) ?? [];
    const marked = await openDatabase(copy, 0);
    marked.exec(statement);
    marked.close();
    await expect(openStore(copy).then((store) => store.close())).resolves.toBeUndefined();
  });

  it('is rejected in a folder that cannot be created', async () => {
    const path = join(await createTemporaryFolder(), 'file');
    await writeFile(path, '');
    await expect(openStore(join(path, 'x.sqlite'))).rejects.toMatchObject({ failure: 'local' });
  });

  it('returns UNAVAILABLE while another process holds the lock', async () => {
    const { path } = await createStore();
    const store = await openStore(path, { busyTimeout: 50 });
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
