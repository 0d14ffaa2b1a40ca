import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { Database, Store } from '../../src/service/store/store.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Whether this test run uses stores in PostgreSQL. */
export const isPostgres = process.env['SVC_TEST_STORE'] === 'postgres';

/** Returns the location of a new store: a file, or for PostgreSQL a new schema of the shared database. */
export async function newStoreLocation(): Promise<string> {
  return isPostgres ? newSchemaLocation(inject('postgres') ?? '') : join(await createTemporaryFolder(), 'service.sqlite');
}

/** Schemas of earlier tests in this process, with empty tables, and the number of tables in each. */
const used: { locations: string[]; tables?: number } = Object(globalThis)['svcTestSchemas'] ?? { locations: [] };
Object.assign(globalThis, { svcTestSchemas: used });

/** Returns the location of a store without data. In PostgreSQL, it may have tables: creating them takes much longer than a test. */
export async function emptyStoreLocation(): Promise<string> {
  return used.locations.pop() ?? newStoreLocation();
}

/** Deletes the data of a store that `emptyStoreLocation` may return again, unless the test changed its tables. */
export async function recycleStore(location: string, store: Store): Promise<void> {
  if (!isPostgres) return;
  const isEmptied = await store.write(emptyTables).catch(() => false);
  if (isEmptied) used.locations.push(location);
}

/** Remembers the number of tables of a store that is in use for the first time. */
export async function rememberTables(store: Store): Promise<void> {
  if (isPostgres) used.tables ??= await store.read(countTables);
}

async function countTables(database: Database): Promise<number> {
  const query = sql<{ count: string }>`select count(*) from pg_tables where schemaname = current_schema()`;
  return Number((await query.execute(database)).rows[0]?.count);
}

/** Deletes all rows except the schema's version, in any order of the tables. @returns whether all tables exist */
async function emptyTables(database: Database): Promise<boolean> {
  if ((await countTables(database)) !== used.tables) return false;
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
