import type { ColumnDefinitionBuilder, CreateTableBuilder, SchemaModule } from 'kysely';

type ColumnType = 'integer' | 'bigint' | 'text';
type Column = readonly [type: ColumnType, build?: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder];
type Columns = Readonly<Record<string, Column>>;

/** A surrogate key that the database generates. */
export const KEY: Column = ['integer', (column) => column.primaryKey()];
export const UNIQUE_TEXT: Column = ['text', (column) => column.notNull().unique()];
export const TEXT_KEY: Column = ['text', (column) => column.primaryKey().notNull()];

/** Nullable columns of the same type. */
export function optional(type: ColumnType, ...names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, [type]]));
}

/** Columns of the same type that are not nullable. */
export function required(type: ColumnType, ...names: readonly string[]): Columns {
  return Object.fromEntries(names.map((name) => [name, [type, (column: ColumnDefinitionBuilder) => column.notNull()]]));
}

/** A column that refers to a column of another table, such as `organizations.key`. */
export function reference(type: ColumnType, target: string): Column {
  return [type, (column) => column.notNull().references(target)];
}

/** Builds a statement that creates a table with the columns in this order. */
export function createTable(schema: SchemaModule, name: string, columns: Columns): CreateTableBuilder<string, string> {
  let table: CreateTableBuilder<string, string> = schema.createTable(name);
  for (const [column, [type, build]] of Object.entries(columns)) table = table.addColumn(column, type, build);
  return table;
}
