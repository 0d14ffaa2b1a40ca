import { lstat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { messageOf, SvcError } from '../../../kernel/errors.ts';
import { createPrivateFile } from '../../../kernel/files.ts';
import { closeAfter } from '../../../kernel/resource.ts';
import { joinFileQueue } from '../../store/file-queue.ts';
import { SCHEMA_VERSION } from '../../store/schema.ts';
import { copyDatabase, openDatabase } from '../../store/sqlite.ts';
import { toSqliteOpenError } from '../../store/sqlite-errors.ts';
import { rejectForeignFile } from '../../store/store-file.ts';
import type { Tables } from '../../store/tables.ts';

type RecordCounts = Readonly<Record<keyof typeof COUNTED_TABLES, number>>;

const COUNTED_TABLES = {
  organizations: 'organizations',
  folders: 'folders',
  documents: 'documents',
  users: 'users',
  groups: 'userGroups',
} as const satisfies Readonly<Record<string, keyof Tables>>;

const BUSY_TIMEOUT = 10_000;

/**
 * Copies a store, which may be in use, to a new file. Releases the claims of deliveries, so that
 * they are due immediately.
 */
export async function copyStore(path: string, target: string): Promise<void> {
  await createPrivateFile(target);
  await copyDatabase(path, target, BUSY_TIMEOUT);
  await closeAfter(await openDatabase(target, BUSY_TIMEOUT), (copy) => {
    // Without a write-ahead log, the snapshot is a single file.
    copy.exec('pragma journal_mode = delete');
    copy.exec(
      'update "deliveries" set "owner" = null, "dueAt" = "createdAt" where "owner" is not null',
    );
    copy.exec('delete from "development"');
  });
}

/**
 * Reads the schema version of a snapshot and counts its records.
 * @throws SvcError `local` for an unusable file
 */
export async function readSnapshot(
  file: string,
): Promise<{ readonly version: number; readonly records: RecordCounts }> {
  try {
    if (!(await lstat(file)).isFile()) throw new Error('it is not a regular file');
    rejectForeignFile(file);
    return await closeAfter(await openDatabase(immutableUrl(file), BUSY_TIMEOUT), (database) => {
      const numberFrom = (sql: string) =>
        Number(database.prepare(`select ${sql}`).get()?.['value']);
      const version = numberFrom('"version" as value from "schemaVersion"');
      if (version > SCHEMA_VERSION) throw new Error('it was saved by a newer svc; update svc');
      const counts = Object.entries(COUNTED_TABLES).map(([kind, table]) => [
        kind,
        numberFrom(`count(*) as value from "${table}"`),
      ]);
      return { version, records: Object.fromEntries(counts) as RecordCounts };
    });
  } catch (error) {
    const reason = messageOf(error).replace(`cannot open the store ${file}: `, '');
    throw new SvcError('local', `cannot read the snapshot ${file}: ${reason}`, { cause: error });
  }
}

/**
 * Replaces all rows of a store with those of a copy that has the same schema, in one transaction.
 * Readers see either the old or the new rows. Keeps row IDs.
 */
export function replaceRows(path: string, copy: string): Promise<void> {
  const { run, leave } = joinFileQueue(path);
  return run(async () => {
    // Without foreign keys, SQLite deletes and copies whole tables and indexes, in any order.
    const database = await openDatabase(path, BUSY_TIMEOUT, { enableForeignKeyConstraints: false });
    try {
      database.exec('pragma synchronous = full');
      database.prepare('attach ? as saved').run(immutableUrl(copy));
      database.exec('begin immediate');
      const isData = "type = 'table' and name <> 'development'";
      for (const { name } of database
        .prepare(`select name from main.sqlite_master where ${isData}`)
        .all())
        database.exec(
          `delete from main."${name}"; insert into main."${name}" select * from saved."${name}"`,
        );
      database.exec('commit');
    } catch (error) {
      throw toSqliteOpenError(error, path);
    } finally {
      database.close();
    }
  }).finally(leave);
}

/**
 * Returns a URL that makes SQLite read a file without locks and without creating other files beside
 * it.
 */
function immutableUrl(file: string): string {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url.href;
}
