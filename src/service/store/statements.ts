import {
  type Insertable,
  type Kysely,
  type SelectType,
  sql,
  type Updateable,
  type WhereInterface,
} from 'kysely';
import { prepareQuery } from './prepared-query.ts';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

type TableName = keyof Tables;
type Column<Table extends TableName> = keyof Tables[Table] & string;
type Value<Table extends TableName, Name extends Column<Table>> = NonNullable<
  SelectType<Tables[Table][Name]>
>;

/**
 * Matches rows by their columns: a value, or a list of alternatives. An omitted column may have any
 * value.
 */
type Filter<Table extends TableName> = {
  readonly [Name in Column<Table>]?: Value<Table, Name> | readonly Value<Table, Name>[] | undefined;
};

/** A prepared statement. Resolves with the requested columns of the returned rows. */
type Statement<Parameters, Table extends TableName, Returned extends Column<Table>> = (
  database: Database,
  parameters: Parameters,
) => Promise<readonly { [Name in Returned]: SelectType<Tables[Table][Name]> }[]>;

/** Prepares a query for the rows that match a filter, sorted by the columns of `order`. */
export function prepareSelect<Table extends TableName, Returned extends Column<Table>>(
  table: Table,
  columns: readonly Returned[],
  order: readonly Column<Table>[] = [],
): Statement<Filter<Table>, Table, Returned> {
  return prepareQuery((database, filter: Filter<Table>) => {
    const matching = addFilter(untyped(database).selectFrom<string>(table).select(columns), filter);
    return order.reduce((query, column) => query.orderBy(column), matching);
  }) as Statement<Filter<Table>, Table, Returned>;
}

/**
 * Prepares statements that add rows, except for rows whose `key` exists (default: any unique key).
 */
export function prepareInsert<Table extends TableName, Returned extends Column<Table> = never>(
  table: Table,
  key: readonly Column<Table>[] = [],
  returning: readonly Returned[] = [],
) {
  return prepareUpsert(table, key, { returning });
}

/**
 * Prepares statements that add any number of rows, or update existing rows with the same unique
 * `key`. In each call, the keys must be distinct: a statement cannot write a row twice.
 * @param replaced columns that always get the new value
 * @param merged columns that keep the old value if the new value is null
 */
export function prepareUpsert<Table extends TableName, Returned extends Column<Table> = never>(
  table: Table,
  key: readonly Column<Table>[],
  {
    replaced = [],
    merged = [],
    returning = [],
  }: {
    readonly replaced?: readonly Column<Table>[];
    readonly merged?: readonly Column<Table>[];
    readonly returning?: readonly Returned[];
  },
): Statement<readonly Insertable<Tables[Table]>[], Table, Returned> {
  const given = (column: string) => sql.ref(`excluded.${column}`);
  const updates = Object.fromEntries([
    ...merged.map((column) => [
      column,
      sql`coalesce(${given(column)}, ${sql.ref(`${table}.${column}`)})`,
    ]),
    ...replaced.map((column) => [column, given(column)]),
  ]);
  const write = prepareQuery((database, rows: readonly Insertable<Tables[Table]>[]) =>
    untyped(database)
      .insertInto(table)
      .values(rows)
      .onConflict((conflict) => {
        const target = key.length > 0 ? conflict.columns(key) : conflict;
        return Object.keys(updates).length > 0 ? target.doUpdateSet(updates) : target.doNothing();
      })
      .$if(returning.length > 0, (query) => query.returning(returning)),
  ) as Statement<readonly Insertable<Tables[Table]>[], Table, Returned>;
  return async (database, rows) => {
    const returned: Awaited<ReturnType<typeof write>>[] = [];
    for (const batch of chunkRows(rows)) returned.push(await write(database, batch));
    return returned.flat();
  };
}

export function prepareUpdate<Table extends TableName>(table: Table) {
  type Update = { readonly set: Updateable<Tables[Table]>; readonly where: Filter<Table> };
  return prepareQuery((database, { set, where }: Update) =>
    addFilter(untyped(database).updateTable<string>(table).set(set), where),
  );
}

export function prepareDelete<Table extends TableName>(table: Table) {
  return prepareQuery((database, filter: Filter<Table>) =>
    addFilter(untyped(database).deleteFrom(table), filter),
  );
}

type UntypedTables = Record<string, Record<string, unknown>>;

/** Disables the types of the tables. The types of each statement replace them. */
export function untyped(database: Database): Kysely<UntypedTables> {
  return database as Kysely<UntypedTables>;
}

function addFilter<Query extends WhereInterface<UntypedTables, string>>(
  query: Query,
  filter: object,
): Query {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .reduce((filtered, [column, value]) => {
      return filtered.where(column, Array.isArray(value) ? 'in' : '=', value) as Query;
    }, query);
}

/**
 * Rows per statement. Large enough to amortize the fixed cost, and well below the limits of all
 * databases.
 */
export const ROWS_PER_STATEMENT = 100;

export function* chunkRows<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    yield rows.slice(at, at + ROWS_PER_STATEMENT);
}

/** Keeps the last record of each ID. */
export function distinctBy<Item>(
  items: readonly Item[],
  idOf: (record: Item) => string,
): readonly Item[] {
  return [...new Map(items.map((record) => [idOf(record), record])).values()];
}

/**
 * Pads the list with its last key to a power of two. With fewer different lengths, fewer statements
 * are compiled.
 */
export function padKeys<Key>(keys: readonly Key[]): readonly Key[] {
  const last = keys.at(-1);
  if (last === undefined) return keys;
  return [...keys, ...Array<Key>(2 ** Math.ceil(Math.log2(keys.length)) - keys.length).fill(last)];
}
