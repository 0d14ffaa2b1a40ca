import type { DialectAdapter, SelectQueryBuilder } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/** Of a database that has many writers at once, so that several may want the same rows. */
export interface SharingAdapter extends DialectAdapter {
  readonly sharesRows: true;
}

/** Rows that are about to be taken, without those that another one is taking. One writer at a time need not ask. */
export function nobodyElses<Table extends keyof Tables, Row>(
  database: Database,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return isShared(database) ? query.forUpdate().skipLocked() : query;
}

/** Whether the database is another process: there many small queries cost far more than one large. */
export function isShared(database: Database): boolean {
  return 'sharesRows' in database.getExecutor().adapter;
}
