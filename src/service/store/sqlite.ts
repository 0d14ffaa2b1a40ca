import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  type TransactionSettings,
} from 'kysely';
import { withoutExperimentalWarning } from '../../kernel/io.ts';
import { nextTurn } from '../../kernel/next-turn.ts';
import type { DirectAdapter } from './prepared.ts';
import { APPLICATION_ID } from './store-file.ts';
import type { Tables } from './tables.ts';

/** Milliseconds that a transaction may take up before the rest of the process gets its turn. */
const LONGEST_STRETCH = 25;
/** Prepared statements kept. Multi-row statements differ by their number of rows. */
const MOST_STATEMENTS = 500;

/**
 * Opens an SQLite file: readers beside one writer (WAL), and a commit returns only once it is on disk (FULL). The file is
 * marked as a store before anything else is written to it.
 */
export async function openSqlite(path: string, patience: number): Promise<Kysely<Tables>> {
  const database = await openDatabase(path, patience);
  try {
    markAsStore(database);
    database.exec('pragma journal_mode = wal; pragma synchronous = full');
  } catch (error) {
    database.close();
    throw error;
  }
  return new Kysely<Tables>({ dialect: new NodeSqliteDialect(forKysely(database)) });
}

function markAsStore(database: DatabaseSync): void {
  const marked = database.prepare('pragma application_id').get()?.['application_id'];
  if (marked !== APPLICATION_ID) database.exec(`pragma application_id = ${APPLICATION_ID}`);
}

/** Whether the commits that follow return only once they are on disk. */
export async function waitForDisk(kysely: Kysely<Tables>, wait: boolean): Promise<void> {
  await kysely.executeQuery(CompiledQuery.raw(`pragma synchronous = ${wait ? 'full' : 'normal'}`));
}

/** @param timeout milliseconds to wait for another connection's lock */
export async function openDatabase(path: string, timeout: number): Promise<DatabaseSync> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  return new DatabaseSync(path, { timeout });
}

/** When the statements that run without a break began. */
interface Stretch {
  began: number;
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #database: PreparingDatabase;
  readonly #stretch: Stretch = { began: 0 };

  constructor(database: PreparingDatabase) {
    super({ database });
    this.#database = database;
  }

  override createAdapter(): DialectAdapter {
    return new NodeSqliteAdapter(this.#database, this.#stretch);
  }

  override createDriver(): Driver {
    return new NodeSqliteDriver(this.#database, this.#stretch);
  }
}

class NodeSqliteAdapter extends SqliteAdapter implements DirectAdapter {
  readonly #database: SqliteDatabase;
  readonly #stretch: Stretch;

  constructor(database: SqliteDatabase, stretch: Stretch) {
    super();
    this.#database = database;
    this.#stretch = stretch;
  }

  rest(): Promise<void> | undefined {
    if (performance.now() < this.#stretch.began + LONGEST_STRETCH) return undefined;
    return nextTurn().then(() => {
      this.#stretch.began = performance.now();
    });
  }

  rows<Row>(sql: string, parameters: readonly unknown[]): readonly Row[] {
    const statement = this.#database.prepare(sql);
    if (statement.reader) return statement.all(parameters) as readonly Row[];
    statement.run(parameters);
    return [];
  }
}

class NodeSqliteDriver extends SqliteDriver {
  readonly #database: PreparingDatabase;
  readonly #stretch: Stretch;

  constructor(database: PreparingDatabase, stretch: Stretch) {
    super({ database });
    this.#database = database;
    this.#stretch = stretch;
  }

  /** A writer takes the lock at once: one that first reads could not go on after another process has written. */
  override async beginTransaction(connection: DatabaseConnection, settings?: TransactionSettings): Promise<void> {
    this.#stretch.began = performance.now();
    const begin = settings?.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await connection.executeQuery(CompiledQuery.raw(begin));
  }

  /** SQLite has ended the transaction by itself after some errors, a full disk for example: these errors are the ones to report. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isInTransaction()) await super.rollbackTransaction(connection);
  }
}

interface PreparingDatabase extends SqliteDatabase {
  isInTransaction(): boolean;
}

/** What Kysely calls, on a `DatabaseSync`, with its statements prepared once. */
function forKysely(database: DatabaseSync): PreparingDatabase {
  const prepared = new Map<string, ReturnType<typeof statement>>();
  return {
    isInTransaction: () => database.isTransaction,
    close: () => database.close(),
    prepare: (sql) => {
      const known = prepared.get(sql);
      if (known) return known;
      if (prepared.size >= MOST_STATEMENTS) prepared.clear();
      const made = statement(database.prepare(sql));
      prepared.set(sql, made);
      return made;
    },
  };
}

/** Rows come as arrays, and become objects here: an object that node:sqlite makes itself costs twice as much. */
function statement(sql: StatementSync) {
  const columns = sql.columns().map(({ name }) => name);
  sql.setReturnArrays(true);
  const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[];
  const row = (cells: unknown) => rowOf(columns, cells as readonly unknown[]);
  return {
    reader: columns.length > 0,
    all: (parameters: readonly unknown[]) => sql.all(...values(parameters)).map(row),
    run: (parameters: readonly unknown[]) => sql.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => sql.iterate(...values(parameters)).map(row),
  };
}

function rowOf(columns: readonly string[], cells: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  columns.forEach((name, at) => {
    row[name] = cells[at];
  });
  return row;
}
