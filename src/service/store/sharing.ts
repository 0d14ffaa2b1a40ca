import type { DialectAdapter, SelectQueryBuilder } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/** Adapter of a database with concurrent writers. */
export interface SharingAdapter extends DialectAdapter {
  readonly sharesRows: true;
  readonly columnTypes: ColumnTypes;
}

/** Column types by their names in SQLite (default: the same name). */
type ColumnTypes = Readonly<Record<string, string>>;

/**
 * Locks the selected rows. Skips rows that another transaction has locked. Without concurrent writers, does nothing.
 */
export function skipLocked<Table extends keyof Tables, Row>(
  database: Database,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return hasConcurrentWriters(database) ? query.forUpdate().skipLocked() : query;
}

/** Whether the database has concurrent writers. It is then remote, and a large query is faster than many small ones. */
export function hasConcurrentWriters(database: Database): boolean {
  return isSharingAdapter(database.getExecutor().adapter);
}

export function columnTypesOf(database: Database): ColumnTypes {
  const { adapter } = database.getExecutor();
  return isSharingAdapter(adapter) ? adapter.columnTypes : {};
}

function isSharingAdapter(adapter: DialectAdapter): adapter is SharingAdapter {
  return 'sharesRows' in adapter;
}
