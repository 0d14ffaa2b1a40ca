import { type Insertable, sql } from 'kysely';
import { prepareQuery } from './prepared-query.ts';
import type { Tables } from './tables.ts';

type ColumnsOf<Table extends keyof Tables> = readonly (keyof Tables[Table] & string)[];

/**
 * Prepares a statement that adds rows, or updates existing rows with the same unique `key`.
 * @param replaced columns that always get the new value
 * @param merged columns that keep the old value if the new value is null
 */
export function prepareUpsert<Table extends keyof Tables>(
  table: Table,
  key: ColumnsOf<Table>,
  { replaced = [], merged = [] }: { readonly replaced?: ColumnsOf<Table>; readonly merged?: ColumnsOf<Table> },
) {
  const given = (column: string) => sql.ref(`excluded.${column}`);
  const updates = Object.fromEntries([
    ...merged.map((column) => [column, sql`coalesce(${given(column)}, ${sql.ref(`${table}.${column}`)})`]),
    ...replaced.map((column) => [column, given(column)]),
  ]);
  return prepareQuery((database, rows: readonly Insertable<Tables[Table]>[]) =>
    database
      .insertInto<keyof Tables>(table)
      .values(rows as never)
      .onConflict((conflict) => conflict.columns(key as never).doUpdateSet(updates)),
  );
}
