import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createService as createLibraryService } from '../../../src/index.ts';
import { createSnapshots } from '../../../src/service/local/snapshots/snapshots.ts';
import { exportState } from '../../../src/service/state/transfer.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { migrate } from '../../../src/service/store/schema.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { startTestService, type TestService } from '../test-service.ts';

async function newService() {
  const service = await startTestService();
  const snapshots = createSnapshots(service.path);
  return { ...service, snapshots, folder: `${service.path}.snapshots` };
}

/** Reads all rows of all tables with their row IDs. */
function readRows(path: string): Record<string, unknown> {
  const database = new DatabaseSync(path);
  try {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const rows = (name: string) =>
      database.prepare(`select rowid as "row id", * from "${name}" order by rowid`).all();
    return Object.fromEntries(
      tables.filter((name) => name !== 'development').map((name) => [name, rows(name)]),
    );
  } finally {
    database.close();
  }
}

async function addUsers(
  { call }: Pick<TestService, 'call'>,
  organizationId: string,
  ...ids: readonly string[]
) {
  const { http } = await call('/v1/users/add', {
    organizationId,
    users: ids.map((userId) => ({ userId })),
  });
  expect(http).toBe(200);
}

describe('a restored snapshot', () => {
  it('has exactly the rows that were saved, whatever was written meanwhile', SLOW, async () => {
    const service = await newService();
    const { call, store, credentials, snapshots, path } = service;
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const write = fc.oneof(
      fc.record({
        path: fc.constant('/v1/users/add'),
        users: fc.array(fc.record({ userId: id }), { minLength: 1 }),
      }),
      fc.record({
        path: fc.constant('/v2/organizations/folders/add'),
        folders: fc.uniqueArray(fc.record({ folderId: id }), {
          minLength: 1,
          selector: (folder) => folder.folderId,
        }),
      }),
      fc.record({
        path: fc.constant('/v1/organizations/documents/add'),
        documents: fc.array(fc.record({ documentId: id }), { minLength: 1 }),
      }),
      fc.record({
        path: fc.constant('/v2/organizations/usergroups/add'),
        organizationUserGroups: fc.array(fc.record({ groupId: id }), { minLength: 1 }),
      }),
    );
    const organizationId = fc.constantFrom('acme', 'other');
    const writes = fc.array(fc.tuple(organizationId, write), { maxLength: 8 });
    const perform = async (all: readonly (readonly [string, { path: string }])[]) => {
      for (const [org, { path: operation, ...data }] of all)
        await call(operation, { organizationId: org, ...data });
    };
    await fc.assert(
      fc.asyncProperty(writes, writes, async (before, after) => {
        await perform(before);
        const [saved, rows] = [
          JSON.stringify(await exportState(store, credentials.apiKey)),
          readRows(path),
        ];
        await snapshots.save('seed');
        await perform(after);
        await snapshots.restore('seed');
        expect(readRows(path)).toEqual(rows);
        expect(JSON.stringify(await exportState(store, credentials.apiKey))).toBe(saved);
      }),
      { numRuns: repeats(12) },
    );
    await addUsers(service, 'acme', 'after');
    expect(readRows(path)['users']).toContainEqual(expect.objectContaining({ userId: 'after' }));
  });

  it('brings back API keys and tokens, and rejects newer ones', async () => {
    const { call, store, credentials, snapshots, keyHeaders } = await newService();
    await snapshots.save('seed');
    await store.write(async (database) => {
      await database.updateTable('authTokens').set({ token: 'replaced' }).execute();
    });
    const read = (headers: Record<string, string>) =>
      call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] }, headers);
    const newer = { ...keyHeaders(), 'x-svc-auth-token': 'replaced' };
    expect((await read(newer)).http).toBe(200);
    await snapshots.restore('seed');
    expect((await read(newer)).body.error?.status).toBe('UNAUTHENTICATED');
    expect((await read(keyHeaders())).http).toBe(200);
    expect(credentials.authToken).not.toBe('replaced');
  });

  it('has its pending deliveries, without claims', async () => {
    const { store, snapshots, path, credentials } = await newService();
    const delivery = {
      id: 'd1',
      apiKey: credentials.apiKey,
      form: 'advanced',
      lane: 'l',
      event: 'e',
      payload: '{}',
    } as const;
    const rest = { size: 2, state: 'pending', attempts: '', tries: 0, createdAt: 5 } as const;
    await store.write(async (database) => {
      const values = [
        { ...delivery, ...rest, dueAt: 99, owner: 'someone' },
        { ...delivery, ...rest, id: 'd2', dueAt: 77 },
      ];
      await database.insertInto('deliveries').values(values).execute();
    });
    await snapshots.save('seed');
    await store.write(async (database) => void (await database.deleteFrom('deliveries').execute()));
    await snapshots.restore('seed');
    expect(readRows(path)['deliveries']).toMatchObject([
      { id: 'd1', owner: null, dueAt: 5 },
      { id: 'd2', owner: null, dueAt: 77 },
    ]);
  });

  it('keeps the clock and the faults of the store', async () => {
    const { store, snapshots, folder } = await newService();
    const setClock = (value: string) =>
      store.write(
        async (database) =>
          void (await sql`replace into development values ('clock', ${value})`.execute(database)),
      );
    await setClock('1');
    await snapshots.save('seed');
    await setClock('2');
    await snapshots.restore('seed');
    const { rows } = await store.read((database) =>
      sql`select value from development`.execute(database),
    );
    expect(rows).toEqual([{ value: '2' }]);
    const saved = new DatabaseSync(`${folder}/seed.sqlite`, { readOnly: true });
    expect(saved.prepare('select * from development').all()).toEqual([]);
    saved.close();
  });

  it('finishes the document migrations that were in progress', async () => {
    const { call, store, snapshots, credentials, path } = await newService();
    await call('/v1/organizations/documents/add', {
      organizationId: 'acme',
      documents: [{ documentId: 'd1' }],
    });
    const migration = {
      migrationId: 'm',
      apiKey: credentials.apiKey,
      organizationId: 'acme',
      documentId: 'd1',
    };
    await store.write(async (database) => {
      const values = {
        ...migration,
        newDocumentId: 'd2',
        status: 'in_progress',
        createdAt: 1,
      } as const;
      await database.insertInto('documentMigrations').values(values).execute();
    });
    await snapshots.save('seed');
    await snapshots.restore('seed');
    expect(readRows(path)).toMatchObject({
      documentMigrations: [{ status: 'completed' }],
      documents: [{ documentId: 'd2' }],
    });
  });
});

describe('a snapshot', () => {
  it('of an older version of svc is upgraded on a copy', async () => {
    const service = await newService();
    const { snapshots, folder, path } = service;
    await addUsers(service, 'acme', 'u1');
    const old = `${await createTemporaryFolder()}/old.sqlite`;
    await mkdir(folder);
    const store = await openStore(old);
    await store.close();
    const file = `${folder}/old.sqlite`;
    await writeFile(file, await oldStore());
    const before = await readFile(file);
    expect(await snapshots.restore('old')).toMatchObject({
      name: 'old',
      records: { organizations: 1, users: 0 },
    });
    expect(readRows(path)).toMatchObject({
      organizations: [{ organizationId: 'from v1' }],
      users: [],
    });
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('of a newer version of svc is refused', async () => {
    const { snapshots, folder } = await newService();
    await snapshots.save('seed');
    const database = new DatabaseSync(`${folder}/seed.sqlite`);
    database.exec('update "schemaVersion" set "version" = 99');
    database.close();
    await expect(snapshots.restore('seed')).rejects.toThrow('saved by a newer svc');
  });

  it('is private, is one file, and leaves no temporary files', async () => {
    const { snapshots, folder } = await newService();
    await Promise.all([snapshots.save('a'), snapshots.save('a'), snapshots.save('b')]);
    await snapshots.compare('a');
    await snapshots.restore('a');
    expect((await readdir(folder)).toSorted()).toEqual(['a.sqlite', 'b.sqlite']);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(`${folder}/a.sqlite`)).mode & 0o777).toBe(0o600);
  });

  it.each(['', '.', '..', 'a/b', '../x', 'ä', 'a b', 'a\n', 'a\0'])(
    'is not named %j',
    async (name) => {
      const { snapshots } = await newService();
      for (const run of [snapshots.save, snapshots.restore, snapshots.remove, snapshots.compare])
        await expect(run(name)).rejects.toMatchObject({ failure: 'usage' });
    },
  );

  it('that is unknown has the nearest name as a hint', async () => {
    const { snapshots } = await newService();
    await expect(snapshots.restore('seed')).rejects.toMatchObject({
      failure: 'not_found',
      hint: expect.stringContaining('snapshot save'),
    });
    await snapshots.save('seed');
    await expect(snapshots.remove('sede')).rejects.toMatchObject({
      failure: 'not_found',
      hint: "did you mean 'seed'?",
    });
  });

  it('is not supported for PostgreSQL', () => {
    expect(() => createSnapshots('postgres://localhost/x')).toThrow('not supported for PostgreSQL');
  });
});

describe('the list of snapshots', () => {
  it('is sorted by time and counts records', async () => {
    const service = await newService();
    const { snapshots } = service;
    await snapshots.save('first');
    await addUsers(service, 'acme', 'u1', 'u2');
    await snapshots.save('second');
    const found = await snapshots.list();
    expect(found.map(({ name, records }) => [name, records.users])).toEqual([
      ['second', 2],
      ['first', 0],
    ]);
    await snapshots.remove('first');
    expect(await snapshots.list()).toHaveLength(1);
  });

  it('reports foreign files and skips links, folders, and temporary files', async () => {
    const { snapshots, folder, path } = await newService();
    await snapshots.save('seed');
    await writeFile(`${folder}/text.sqlite`, 'not a database');
    await writeFile(`${folder}/notes.txt`, '');
    await symlink(path, `${folder}/link.sqlite`);
    await mkdir(`${folder}/.staged-1-x.sqlite`);
    await snapshots.save('cut');
    await truncate(`${folder}/cut.sqlite`, 150);
    const reported: unknown[] = [];
    expect((await snapshots.list((error) => reported.push(error))).map(({ name }) => name)).toEqual(
      ['seed'],
    );
    expect(reported.map(String)).toEqual([
      expect.stringContaining('cut.sqlite'),
      expect.stringMatching(/text.sqlite: it is not/),
    ]);
    await expect(snapshots.restore('link')).rejects.toMatchObject({ failure: 'not_found' });
    await expect(snapshots.restore('text')).rejects.toMatchObject({ failure: 'local' });
    await expect(snapshots.restore('cut')).rejects.toMatchObject({ failure: 'local' });
  });

  it('does not contain the files of a killed process, which the next snapshot removes', async () => {
    const { snapshots, folder } = await newService();
    await mkdir(`${folder}/.staged-999999999-x`, { recursive: true });
    expect(await snapshots.list()).toEqual([]);
    await snapshots.save('seed');
    expect(await readdir(folder)).toEqual(['seed.sqlite']);
  });
});

it('a failed save keeps the previous snapshot', async () => {
  const service = await newService();
  const { snapshots, folder } = service;
  await snapshots.save('seed');
  await addUsers(service, 'acme', 'u1');
  await mkdir(`${folder}/blocked.sqlite`);
  await expect(snapshots.save('blocked')).rejects.toMatchObject({ failure: 'local' });
  expect((await snapshots.list()).map(({ name }) => name)).toEqual(['seed']);
  expect((await readdir(folder)).toSorted()).toEqual(['blocked.sqlite', 'seed.sqlite']);
  await chmod(`${folder}/seed.sqlite`, 0o600);
});

it('the library saves, restores, lists, and removes snapshots', async () => {
  const service = await createLibraryService();
  try {
    expect(await service.snapshots.save('seed')).toMatchObject({
      name: 'seed',
      records: { users: 0 },
    });
    const { apiKey, authToken } = service.client;
    const headers = {
      'content-type': 'application/json',
      'x-svc-api-key': apiKey,
      'x-svc-auth-token': authToken,
    };
    const call = async (path: string, data: object) => {
      const body = JSON.stringify({ data });
      return (
        await service.fetch(`http://localhost${path}`, { method: 'POST', headers, body })
      ).json();
    };
    await call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] });
    expect(await service.snapshots.save('later')).toMatchObject({ records: { users: 1 } });
    await service.snapshots.restore('seed');
    expect(await service.snapshots.save('now')).toMatchObject({ records: { users: 0 } });
    await service.snapshots.remove('seed');
    expect((await service.snapshots.list()).map(({ name }) => name)).toEqual(['now', 'later']);
  } finally {
    await service.close();
  }
});

/** Creates the file of a store as written by the first version of svc. */
async function oldStore(): Promise<Buffer> {
  const path = `${await createTemporaryFolder()}/old.sqlite`;
  const { openSqlite } = await import('../../../src/service/store/sqlite.ts');
  const kysely = await openSqlite(path, 0);
  await kysely.transaction().execute(async (database) => {
    await migrate(database, 1);
    await sql`insert into workspaces values (1, 'w', 'W', '', '', '', '', 'token', 'key')`.execute(
      database,
    );
    await sql`insert into "apiKeys" values ('k', 'w', 'K', 'testing')`.execute(database);
    await sql`insert into "authTokens" values ('k', 't', 'T', '[]')`.execute(database);
    await sql`insert into organizations values (1, 'k', 'from v1', null, null, 1)`.execute(
      database,
    );
  });
  await sql`pragma journal_mode = delete`.execute(kysely);
  await kysely.destroy();
  return readFile(path);
}
