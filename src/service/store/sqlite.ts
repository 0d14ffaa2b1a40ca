import type { DatabaseSync, DatabaseSyncOptions, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely';
import { monotonicTime, withoutExperimentalWarning } from '../../kernel/process.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import type { DirectAdapter } from './prepared-query.ts';
import { APPLICATION_ID } from './store-file.ts';
import type { Tables } from './tables.ts';

/** Maximum time that queries may block the event loop, in milliseconds. */
const MAX_BLOCKING_TIME = 25;
/**
 * Maximum number of prepared statements to keep. Multi-row statements differ by their number of
 * rows.
 */
const MAX_STATEMENTS = 500;
/**
 * Upper bound on the part of a store that is mapped into memory: lookups in large stores then copy
 * no pages. SQLite's limit.
 */
const MAPPED_BYTES = 0x7fff0000;

/**
 * Opens a SQLite file with concurrent readers and a single writer (WAL). Commits wait for the disk
 * (FULL). Marks the file as a store before writing anything else.
 */
export async function openSqlite(path: string, busyTimeout: number): Promise<Kysely<Tables>> {
  const database = await openDatabase(path, busyTimeout);
  try {
    const marked = database.prepare('pragma application_id').get()?.['application_id'];
    if (marked !== APPLICATION_ID) database.exec(`pragma application_id = ${APPLICATION_ID}`);
    database.exec(
      `pragma journal_mode = wal; pragma synchronous = full; pragma mmap_size = ${MAPPED_BYTES}`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  const adapted = adaptDatabase(database);
  const dialect = new SqliteDialect({ database: adapted });
  dialect.createAdapter = () => createAdapter(adapted);
  dialect.createDriver = () => new NodeSqliteDriver(adapted);
  return new Kysely<Tables>({ dialect });
}

export async function setDurability(kysely: Kysely<Tables>, isDurable: boolean): Promise<void> {
  await kysely.executeQuery(
    CompiledQuery.raw(`pragma synchronous = ${isDurable ? 'full' : 'normal'}`),
  );
}

export async function openDatabase(
  path: string,
  timeout: number,
  options: DatabaseSyncOptions = {},
): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  return new DatabaseSync(path, { ...options, timeout });
}

export async function copyDatabase(path: string, target: string, timeout: number): Promise<void> {
  const source = await openDatabase(path, timeout);
  const { backup } = await import('node:sqlite');
  await backup(source, target, { rate: MAX_PAGES }).finally(() => source.close());
}

/** Copies all pages in one step, which no write can interrupt. */
const MAX_PAGES = 2 ** 31 - 1;

function createAdapter(database: PreparingDatabase): DirectAdapter {
  return Object.assign(new SqliteAdapter(), {
    isInTransaction: database.isInTransaction,
    yieldIfDue: () => {
      if (monotonicTime() < database.blockingSince + MAX_BLOCKING_TIME) return undefined;
      return yieldToEvents().then(() => {
        database.blockingSince = monotonicTime();
      });
    },
    rows: <Row>(sql: string, parameters: readonly unknown[]) => {
      const statement = database.prepare(sql);
      if (statement.reader) return statement.all(parameters) as readonly Row[];
      statement.run(parameters);
      return [];
    },
  });
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: PreparingDatabase;

  constructor(database: PreparingDatabase) {
    super({ database });
    this.#database = database;
  }

  /**
   * Locks write transactions at the start. After a read, locking for the first write could fail.
   */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings?: TransactionSettings,
  ): Promise<void> {
    this.#database.blockingSince = monotonicTime();
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /**
   * Rolls back, unless SQLite has rolled back after an error. A failed rollback would hide that
   * error.
   */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isInTransaction()) await super.rollbackTransaction(connection);
  }
}

interface PreparingDatabase extends SqliteDatabase {
  blockingSince: number;
  isInTransaction(): boolean;
}

/** Adapts a `DatabaseSync` to Kysely. Prepares each statement once. */
function adaptDatabase(database: DatabaseSync): PreparingDatabase {
  const prepared = new Map<string, ReturnType<typeof adaptStatement>>();
  return {
    blockingSince: 0,
    isInTransaction: () => database.isTransaction,
    close: () => database.close(),
    prepare: (sql) => {
      const known = prepared.get(sql);
      if (known) return known;
      if (prepared.size >= MAX_STATEMENTS) prepared.clear();
      const adapted = adaptStatement(database.prepare(sql));
      prepared.set(sql, adapted);
      return adapted;
    },
  };
}

/** Reads rows as arrays and converts them to objects, which is twice as fast as reading objects. */
function adaptStatement(sql: StatementSync) {
  const columns = sql.columns().map(({ name }) => name);
  sql.setReturnArrays(true);
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  const row = (cells: unknown) => toRow(columns, cells as readonly unknown[]);
  return {
    reader: columns.length > 0,
    all: (parameters: readonly unknown[]) => sql.all(...values(parameters)).map(row),
    run: (parameters: readonly unknown[]) => sql.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => sql.iterate(...values(parameters)).map(row),
  };
}

function toRow(columns: readonly string[], cells: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  columns.forEach((name, at) => {
    row[name] = cells[at];
  });
  return row;
}
