import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openStore } from '../../src/service/store/open.ts';
import type { Database, Store } from '../../src/service/store/store.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Whether this test run uses stores in PostgreSQL. */
export const isPostgres = process.env['SVC_TEST_STORE'] === 'postgres';

const FILE = 'service.sqlite';
const STORE_FILES = [FILE, `${FILE}-wal`, `${FILE}-shm`];

/**
 * Returns the location of a new store: a file, or for PostgreSQL a new schema of the shared
 * database.
 */
export async function newStoreLocation(): Promise<string> {
  return isPostgres
    ? newSchemaLocation(inject('postgres') ?? '')
    : join(await createTemporaryFolder(), FILE);
}

/** Schemas of earlier tests, with empty tables. */
const emptySchemas: string[] = [];

/** The number of tables in each store. */
let tableCount: number | undefined;

/**
 * Returns the location of a store without data. In PostgreSQL, it has tables: creating them takes
 * much longer than a test.
 */
export async function emptyStoreLocation(): Promise<string> {
  return isPostgres ? (await openEmptyStore()).path : newStoreLocation();
}

interface OpenStore {
  readonly path: string;
  readonly store: Store;
  readonly close: () => Promise<void>;
}

/**
 * Open stores without data, from earlier tests in this process. Opening a store takes longer than
 * many tests.
 */
const idle: OpenStore[] = [];

/** Makes the next tests open new stores, for those that depend on the history of a store. */
export async function closeIdleStores(): Promise<void> {
  for (const { path, close } of idle.splice(0)) {
    await close();
    if (isPostgres) emptySchemas.push(path);
  }
}

/** Opens a store without data, until the end of the test. */
export async function openEmptyStore(): Promise<Pick<OpenStore, 'path' | 'store'>> {
  const open = idle.pop() ?? (await openNewStore());
  onTestFinished(async () => {
    if (await isEmptied(open)) idle.push(open);
    else await open.close();
  });
  // Some modules remember data about the object of a store.
  return { path: open.path, store: { ...open.store } };
}

async function openNewStore(): Promise<OpenStore> {
  const folder = isPostgres ? undefined : await mkdtemp(join(tmpdir(), 'svc-test-'));
  const path = folder ? join(folder, FILE) : (emptySchemas.pop() ?? (await newStoreLocation()));
  const store = await openStore(path);
  tableCount ??= (await store.read(listTables)).length;
  const close = async () => {
    await store.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  };
  return { path, store, close };
}

/**
 * Deletes the data of a store, unless the test changed its tables, created other files, or closed
 * the store.
 */
async function isEmptied({ path, store }: OpenStore): Promise<boolean> {
  if (!isPostgres && (await readdir(dirname(path))).some((name) => !STORE_FILES.includes(name)))
    return false;
  return store.write(emptyTables).catch(() => false);
}

/** Lists tables before the tables that they refer to. */
async function listTables(database: Database): Promise<readonly string[]> {
  const query = isPostgres
    ? sql<{
        name: string;
      }>`select tablename as name from pg_tables where schemaname = current_schema()`
    : sql<{
        name: string;
      }>`select name from sqlite_master where type = 'table' order by rowid desc`;
  return (await query.execute(database)).rows.map(({ name }) => name);
}

/** Deletes all rows except the schema's version. @returns whether all tables exist */
async function emptyTables(database: Database): Promise<boolean> {
  const tables = await listTables(database);
  if (tables.length !== tableCount) return false;
  if (!isPostgres) {
    const others = tables.filter((name) => name !== 'schemaVersion');
    for (const name of others) await sql`delete from ${sql.table(name)}`.execute(database);
    return true;
  }
  await sql`do ${sql.lit(`declare name text; begin
    perform set_config('lock_timeout', '5s', true), set_config('session_replication_role', 'replica', true);
    for name in select tablename from pg_tables where schemaname = current_schema() and tablename <> 'schemaVersion' loop
      execute format('delete from %I', name);
    end loop;
    perform setval(sequencename::regclass, 1, false)
      from (select quote_ident(sequencename) as sequencename from pg_sequences where schemaname = current_schema()) as own;
  end`)}`.execute(database);
  return true;
}

/** Creates a schema, which is never dropped: the server is deleted after the test run. */
async function newSchemaLocation(database: string): Promise<string> {
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client(database);
  await client.connect();
  await client.query(`create schema ${schema}`);
  await client.end();
  return `${database}?options=-c%20search_path%3D${schema}`;
}
