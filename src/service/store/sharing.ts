import type { DialectAdapter, SelectQueryBuilder } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/** Adapter of a database with concurrent writers. */
export interface SharingAdapter extends DialectAdapter {
  readonly sharesRows: true;
}

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
  return 'sharesRows' in database.getExecutor().adapter;
}
