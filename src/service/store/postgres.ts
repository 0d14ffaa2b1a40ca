import { Socket } from 'node:net';
import {
  type ColumnDefinitionNode,
  type DataTypeNode,
  type DialectAdapter,
  GeneratedNode,
  Kysely,
  PostgresAdapter,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type PostgresQueryResult,
  type QueryCompiler,
} from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { muteWarnings } from '../../kernel/io.ts';
import { meetSecret } from '../../kernel/redact.ts';
import { isTooMany } from './postgres-errors.ts';
import { plainText, storedText } from './postgres-text.ts';
import type { SharingAdapter } from './sharing.ts';
import type { Tables } from './tables.ts';

/** Connections of one process at most, beside the one that hears of others. A server has 100 for all, unless it is told otherwise. */
const MOST_CONNECTIONS = 10;

const CONNECTING = 10_000;
/** Milliseconds that one statement may take to answer: what has no end is a connection that broke without a sign. */
const ANSWERING = 60_000;

/** A database of a PostgreSQL server; connections are made when they are first needed, and again when they were lost. */
export interface PostgresDatabase {
  readonly kysely: Kysely<Tables>;
  /** A connection of one's own, beside those that queries share. */
  connect(): Promise<Client>;
  /** Breaks off whatever is under way; a connection that was refused otherwise lasts until the server ends it. */
  abort(): void;
}

/** @param url without a password: that comes from `PGPASSWORD` or `~/.pgpass`, as for other programs of PostgreSQL */
export function openPostgres(url: string): PostgresDatabase {
  muteWarnings((text) => text.startsWith('pgpass support is deprecated'));
  const sockets = new Set<Socket>();
  let isAborted = false;
  const settings: ClientConfig = {
    connectionString: withKnownModes(url),
    fallback_application_name: 'svc',
    connectionTimeoutMillis: CONNECTING,
    query_timeout: ANSWERING,
    keepAlive: true,
    types: { getTypeParser },
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.on('close', () => sockets.delete(socket));
    },
  };
  const pool = new Pool({ ...settings, max: MOST_CONNECTIONS });
  pool.on('connect', meet);
  pool.on('error', ignore);
  return {
    kysely: new Kysely<Tables>({ dialect: new SharedDialect({ pool: translated(pool, () => isAborted) }) }),
    connect: async () => {
      const client = new Client(settings);
      await meet(client).connect();
      return client;
    },
    abort: () => {
      isAborted = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function meet<Kind extends Client | PoolClient>(client: Kind): Kind {
  if (typeof client.password === 'string') meetSecret(client.password);
  // Whoever waits for an answer hears of it; while nobody does there is nobody to tell.
  client.on('error', ignore);
  return client;
}

/** Nothing is lost: whoever waits on the connection is told by its query. */
function ignore(): void {
  return;
}

/** `sslmode` as PostgreSQL means it: `require` encrypts, and only `verify-ca` and `verify-full` ask who answers. */
function withKnownModes(url: string): string {
  return /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url;
}

const BIGINT = 20;
const TEXT = 25;

/** Whole numbers stay below what a number of JavaScript holds exactly: they are keys and counts. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') => {
  if (type === BIGINT) return Number;
  return type === TEXT ? plainText : types.getTypeParser(type, format as 'text');
};

/** The pool, with texts on their way into the database and out of it as `storedText` says. */
function translated(pool: Pool, isAborted: () => boolean): PostgresPool {
  const known = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: {},
    connect: async () => {
      if (isAborted()) throw new Error('Connection terminated');
      const client = await connected(pool);
      const translating = known.get(client) ?? new TranslatingClient(client);
      known.set(client, translating);
      return translating;
    },
    end: () => pool.end(),
  };
}

/** Milliseconds after which a pool that was kept smaller may grow again. */
const NARROW = 10_000;

/** Where the server gives no more connections, one that this pool has already is waited for. */
async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    if (!isTooMany(error) || pool.totalCount === 0) throw error;
    pool.options.max = pool.totalCount;
    setTimeout(() => {
      pool.options.max = MOST_CONNECTIONS;
    }, NARROW).unref();
    return connected(pool);
  }
}

class TranslatingClient implements PostgresPoolClient {
  readonly #client: PoolClient;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  query<Row>(sql: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query(sql: unknown, values: readonly unknown[] = []): never {
    if (typeof sql !== 'string') throw new TypeError('cursors are not translated');
    const stored = values.map((value) => (typeof value === 'string' ? storedText(value) : value));
    // Of the two forms this is the first, whose row type only the caller knows.
    return this.#client.query(sql, stored) as never;
  }

  release(error?: Error | boolean): void {
    this.#client.release(error);
  }
}

class SharedDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new SharedAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new TableCompiler();
  }
}

class SharedAdapter extends PostgresAdapter implements SharingAdapter {
  readonly sharesRows = true;
}

/** The columns of the tables, which are described once, as PostgreSQL has them. */
class TableCompiler extends PostgresQueryCompiler {
  /** A whole number that is a primary key is given by the database, one after the other. */
  protected override visitColumnDefinition(node: ColumnDefinitionNode): void {
    const isCounter = node.primaryKey && (node.dataType as DataTypeNode).dataType === 'integer';
    const generated = GeneratedNode.create({ identity: true, byDefault: true });
    super.visitColumnDefinition(isCounter ? { ...node, generated } : node);
  }

  /** As wide as SQLite's integers, exact for any time that a number of JavaScript can be, and in the order of bytes. */
  protected override visitDataType(node: DataTypeNode): void {
    this.append(TYPES.get(node.dataType) ?? String(node.dataType));
  }
}

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ['integer', 'bigint'],
  ['bigint', 'double precision'],
  ['text', 'text collate "C"'],
]);
