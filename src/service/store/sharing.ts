import type { DialectAdapter, SelectQueryBuilder } from 'kysely';
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
