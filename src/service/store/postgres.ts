import { Socket } from 'node:net';
import {
  type DialectAdapter,
  Kysely,
  PostgresAdapter,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely';
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { muteWarnings } from '../../kernel/process.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { isConnectionLimit } from './postgres-errors.ts';
import { decodeText, encodeText } from './postgres-text.ts';
import type { SharingAdapter } from './sharing.ts';
import type { Tables } from './tables.ts';

/** Maximum connections of the pool. Each process has one more for notifications. Servers allow 100 by default. */
const MAX_CONNECTIONS = 10;

const CONNECT_TIMEOUT = 10_000;
/** Time limit for a statement, in milliseconds. Detects connections that broke silently. */
const QUERY_TIMEOUT = 60_000;

/**
 * Opens a PostgreSQL database. Connections are opened on demand and reopened if they are lost.
 * @param url a URL without a password. The password comes from `PGPASSWORD` or `~/.pgpass`.
 */
export function openPostgres(url: string) {
  muteWarnings((text) => text.startsWith('pgpass support is deprecated'));
  const sockets = new Set<Socket>();
  let isAborted = false;
  const settings: ClientConfig = {
    connectionString: withLibpqSslModes(url),
    fallback_application_name: 'svc',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    keepAlive: true,
    types: { getTypeParser },
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.on('close', () => sockets.delete(socket));
    },
  };
  const pool = new Pool({ ...settings, max: MAX_CONNECTIONS });
  pool.on('connect', trackClient);
  pool.on('error', ignoreError);
  return {
    kysely: new Kysely<Tables>({ dialect: new PooledDialect({ pool: createTranslatingPool(pool, () => isAborted) }) }),
    /** Opens a connection outside of the pool. */
    connect: async () => {
      const client = new Client(settings);
      await trackClient(client).connect();
      return client;
    },
    /** Destroys all connections. Otherwise, a rejected connection would stay open until the server closes it. */
    abort: () => {
      isAborted = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function trackClient<Kind extends Client | PoolClient>(client: Kind): Kind {
  if (typeof client.password === 'string') rememberSecret(client.password);
  // Pending queries receive the error.
  client.on('error', ignoreError);
  return client;
}

/** Ignores a connection error, because pending queries receive it too. */
function ignoreError(): void {
  return;
}

/** Makes `sslmode` work as in libpq: `require` only encrypts; `verify-ca` and `verify-full` also verify. */
function withLibpqSslModes(url: string): string {
  return /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url;
}

const BIGINT = 20;
const TEXT = 25;

/** Parses bigints as numbers. All of them are keys or counts within the safe integers. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') => {
  if (type === BIGINT) return Number;
  return type === TEXT ? decodeText : types.getTypeParser(type, format as 'text');
};

/** Wraps a pool to encode text in query parameters. */
function createTranslatingPool(pool: Pool, isAborted: () => boolean): PostgresPool {
  const wrappers = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: {},
    connect: async () => {
      if (isAborted()) throw new Error('Connection terminated');
      const client = await connectOrWait(pool);
      const wrapped = wrappers.get(client) ?? new TranslatingClient(client);
      wrappers.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

/** Time until a pool may grow again, in milliseconds. */
const SHRINK_PERIOD = 10_000;

/** Connects. If the server's connection limit is reached, waits for an existing connection in the pool. */
async function connectOrWait(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    if (!isConnectionLimit(error) || pool.totalCount === 0) throw error;
    pool.options.max = pool.totalCount;
    setTimeout(() => {
      pool.options.max = MAX_CONNECTIONS;
    }, SHRINK_PERIOD).unref();
    return connectOrWait(pool);
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
    if (typeof sql !== 'string') throw new TypeError('cursors are not supported');
    const stored = values.map((value) => (typeof value === 'string' ? encodeText(value) : value));
    // Only the caller knows the row type of the first overload.
    return this.#client.query(sql, stored) as never;
  }

  release(error?: Error | boolean): void {
    this.#client.release(error);
  }
}

class PooledDialect extends PostgresDialect {
  override createAdapter(): DialectAdapter {
    return new PooledAdapter();
  }
}

class PooledAdapter extends PostgresAdapter implements SharingAdapter {
  readonly sharesRows = true;
  /** Integers have 64 bits, times are exact for all JavaScript numbers, and text sorts by bytes. */
  readonly columnTypes = {
    'integer primary key': 'bigint generated by default as identity primary key',
    integer: 'bigint',
    bigint: 'double precision',
    text: 'text collate "C"',
  };
}
