import type { DialectAdapter, SelectQueryBuilder } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/** Adapter of a database with concurrent writers, which can compete for the same rows. */
export interface SharingAdapter extends DialectAdapter {
  readonly sharesRows: true;
}

/** Locks the selected rows, and skips rows that another transaction has locked. Does nothing with a single writer. */
export function skipLocked<Table extends keyof Tables, Row>(
  database: Database,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return hasConcurrentWriters(database) ? query.forUpdate().skipLocked() : query;
}

/** Whether the database runs on a server with concurrent writers. There, many small queries cost more than a large one. */
export function hasConcurrentWriters(database: Database): boolean {
  return 'sharesRows' in database.getExecutor().adapter;
}
