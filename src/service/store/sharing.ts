import { type DialectAdapter, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

export interface SharingAdapter extends DialectAdapter {
  /** Column types by their names in SQLite (default: the same name). */
  readonly columnTypes: Readonly<Record<string, string>>;
}

/**
 * Locks the selected rows that no other transaction has locked. Without concurrent writers, does
 * nothing.
 */
export function skipLocked<Table extends keyof Tables, Row>(
  database: Database,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return hasConcurrentWriters(database) ? query.forUpdate().skipLocked() : query;
}

/** Locks the selected rows until the transaction ends. Without concurrent writers, does nothing. */
export function lockRows<Table extends keyof Tables, Row>(
  database: Database,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return hasConcurrentWriters(database) ? query.forNoKeyUpdate() : query;
}

/**
 * Excludes other transactions that lock the same name until this one ends, also in calls that lock
 * only rows. Shared locks exclude only exclusive ones. Without concurrent writers, does nothing.
 */
export async function lockName(database: Database, name: string, isShared = false): Promise<void> {
  if (hasConcurrentWriters(database))
    await sql`select ${advisoryLock(name, isShared)}`.execute(database);
}

/** Returns the call that takes the advisory lock with this name in the schema of the store. */
export function advisoryLock(name: string, isShared = false): RawBuilder<unknown> {
  const lock = sql.raw(isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  return sql`${lock}(hashtextextended('svc ' || current_schema() || ' ' || ${name}::text, 0))`;
}

/**
 * Whether the database has concurrent writers. It is then remote, and a large query is faster than
 * many small ones.
 */
export function hasConcurrentWriters(database: Database): boolean {
  return 'columnTypes' in database.getExecutor().adapter;
}

export function columnTypesOf(database: Database): SharingAdapter['columnTypes'] {
  const { columnTypes = {} }: Partial<SharingAdapter> = database.getExecutor().adapter;
  return columnTypes;
}
