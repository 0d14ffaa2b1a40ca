import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** Whether this run is about stores in PostgreSQL. */
export const isPostgres = process.env['SVC_TEST_STORE'] === 'postgres';

/** Where a store of this test's own may be: in a file, or in the run for PostgreSQL in a schema of the one database. */
export async function newStorePlace(): Promise<string> {
  return isPostgres ? schemaPlace(inject('postgres') ?? '') : join(await temporaryFolder(), 'service.sqlite');
}

/** A new schema of a database, which is not dropped: the server goes with the run. */
async function schemaPlace(database: string): Promise<string> {
  const schema = `test_${randomBytes(8).toString('hex')}`;
  const client = new Client(database);
  await client.connect();
  await client.query(`create schema ${schema}`);
  await client.end();
  return `${database}?options=-c%20search_path%3D${schema}`;
}
