import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Whether this test run uses stores in PostgreSQL. */
export const isPostgres = process.env['SVC_TEST_STORE'] === 'postgres';

/** Returns the location of a new store: a file, or for PostgreSQL a new schema of the shared database. */
export async function newStoreLocation(): Promise<string> {
  return isPostgres
    ? newSchemaLocation(inject('postgres') ?? '')
    : join(await createTemporaryFolder(), 'service.sqlite');
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
