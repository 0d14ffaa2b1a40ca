import { hash } from 'node:crypto';
import { Socket } from 'node:net';
import {
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely';
import { Client, type ClientConfig, DatabaseError, Pool, type PoolClient, types } from 'pg';
import { monotonicTime, muteWarnings } from '../../kernel/process.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { type HostRule, hostRuleOf, listHostUrls } from './database-url.ts';
import { isConnectionLimit, isUnusableStatement } from './postgres-errors.ts';
import type { SharingAdapter } from './sharing.ts';
import type { Tables } from './tables.ts';

/**
 * Maximum connections of the pool. Each process has one more for notifications. Servers allow 100
 * by default.
 */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT = 10_000;
/** Time limit for a statement, in milliseconds. Detects connections that broke silently. */
const QUERY_TIMEOUT = 60_000;

/** @param url a URL without a password. The password comes from `PGPASSWORD` or `~/.pgpass`. */
export function openPostgres(url: string) {
  muteWarnings((text) => text.startsWith('pgpass support is deprecated'));
  const sockets = new Set<Socket>();
  let isAborted = false;
  const urls = listHostUrls(url).map(withLibpqSslModes);
  const settings: ClientConfig = {
    connectionString: urls[0],
    fallback_application_name: 'svc',
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    query_timeout: QUERY_TIMEOUT,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.on('close', () => sockets.delete(socket));
    },
  };
  const pool = new Pool({ ...settings, max: MAX_CONNECTIONS });
  pool.on('connect', trackClient);
  pool.on('error', () => undefined);
  const unanswered = new Set<SentStatement>();
  const translated = createTranslatingPool(pool, new StatementNames(), {
    isAborted: () => isAborted,
    unanswered,
    connect: createHostSelection(pool, settings, urls, hostRuleOf(url)),
  });
  const dialect = new PostgresDialect({ pool: translated });
  dialect.createAdapter = () => new PooledAdapter();
  return {
    kysely: new Kysely<Tables>({ dialect }),
    unansweredSince: () => unanswered.values().next().value?.sentAt,
    connect: async () => {
      const client = new Client(settings);
      await trackClient(client).connect();
      return client;
    },
    /**
     * Destroys all connections. Otherwise, a rejected connection would stay open until the server
     * closes it.
     */
    abort: () => {
      isAborted = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

function trackClient<Kind extends Client | PoolClient>(client: Kind): Kind {
  if (typeof client.password === 'string') rememberSecret(client.password);
  // Pending queries receive the error.
  client.on('error', () => undefined);
  return client;
}

/**
 * Makes `sslmode` work as in libpq: `require` only encrypts; `verify-ca` and `verify-full` also
 * verify.
 */
function withLibpqSslModes(url: string): string {
  return /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url)
    ? `${url}&uselibpqcompat=true`
    : url;
}

const BIGINT = 20;
const TEXT = 25;

/** Parses bigints as numbers. All of them are keys or counts within the safe integers. */
const getTypeParser: typeof types.getTypeParser = (type: number, format?: 'text' | 'binary') => {
  if (type === BIGINT) return Number;
  return type === TEXT ? decodeText : types.getTypeParser(type, format as 'text');
};

/** The monotonic time at which a statement was sent, in milliseconds. */
interface SentStatement {
  readonly sentAt: number;
}

interface PoolHooks {
  readonly isAborted: () => boolean;
  /** Statements that the server has not answered yet, oldest first. */
  readonly unanswered: Set<SentStatement>;
  readonly connect: () => Promise<PoolClient>;
}

function createTranslatingPool(
  pool: Pool,
  names: StatementNames,
  { isAborted, unanswered, connect }: PoolHooks,
): PostgresPool {
  const wrappers = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    options: {},
    connect: async () => {
      if (isAborted()) throw new Error('Connection terminated');
      const client = await connect();
      const wrapped = wrappers.get(client) ?? createTranslatingClient(client, names, unanswered);
      wrappers.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

/** Time until a pool may grow again, in milliseconds. */
const SHRINK_PERIOD = 10_000;

/**
 * Connects. If the server's connection limit is reached, waits for an existing connection in the
 * pool.
 */
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

/** Like libpq's error for a host that `target_session_attrs` excludes. */
class ReadOnlyHostError extends Error {
  readonly code = '25006';

  constructor() {
    super('no host of the URL accepts writes');
  }
}

/**
 * Creates a function that connects to the first host that fits the rule. If hosts only preferably
 * accept writes and none does, connects to one that responds. Later connections start with the host
 * of the last one.
 */
function createHostSelection(
  pool: Pool,
  settings: ClientConfig,
  urls: readonly string[],
  rule: HostRule,
) {
  if (urls.length === 1 && rule !== 'writable') return () => connectOrWait(pool);
  const checked = new WeakSet<PoolClient>();
  let current = 0;
  const selectNext = () => {
    current = (current + 1) % urls.length;
    settings.connectionString = urls[current];
    pool.options.connectionString = urls[current];
  };
  return async () => {
    let failure: unknown;
    for (let tries = 1; ; tries++) {
      const isLast = tries > urls.length;
      try {
        const client = await connectOrWait(pool);
        const fits =
          rule === 'any' ||
          checked.has(client) ||
          (isLast && rule === 'preferably_writable') ||
          !(await isReadOnly(client));
        if (fits) {
          checked.add(client);
          return client;
        }
        client.release(true);
        if (isLast) throw new ReadOnlyHostError();
      } catch (error) {
        failure = error instanceof ReadOnlyHostError ? error : (failure ?? error);
        if (isLast || error instanceof DatabaseError) throw failure;
      }
      selectNext();
    }
  };
}

async function isReadOnly(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "isReadOnly"`,
  );
  return rows[0]?.isReadOnly === true;
}

function createTranslatingClient(
  client: PoolClient,
  names: StatementNames,
  unanswered: Set<SentStatement>,
): PostgresPoolClient {
  const query = async (text: string, parameters: readonly unknown[]) => {
    const values = parameters.map((value) =>
      typeof value === 'string' ? encodeText(value) : value,
    );
    const name = values.length === 0 ? undefined : names.find(text);
    const sent = { sentAt: monotonicTime() };
    unanswered.add(sent);
    try {
      return await client.query({ text, values, ...(name !== undefined && { name }) });
    } catch (error) {
      if (isUnusableStatement(error)) names.disable();
      throw error;
    } finally {
      unanswered.delete(sent);
    }
  };
  return {
    // biome-ignore lint/plugin: The other overload is for cursors, which no query uses.
    query: query as object as PostgresPoolClient['query'],
    release: (error) => client.release(error),
  };
}

/** Maximum number of statements that the server prepares on each connection. */
const MAX_NAMES = 500;

/**
 * Names of prepared statements, which the server parses and plans once per connection. The same
 * name always means the same statement, because a pooler may share a connection between processes.
 */
class StatementNames {
  readonly #names = new Map<string, string>();
  #isEnabled = true;

  find(sql: string): string | undefined {
    if (!this.#isEnabled) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    const name = `svc ${hash('sha256', sql).slice(0, 32)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** From now on, no statement has a name: the server or a pooler does not keep them. */
  disable(): void {
    this.#isEnabled = false;
  }
}

class PooledAdapter extends PostgresAdapter implements SharingAdapter {
  /** Integers have 64 bits, times are exact for all JavaScript numbers, and text sorts by bytes. */
  readonly columnTypes = {
    'integer primary key': 'bigint generated by default as identity primary key',
    integer: 'bigint',
    bigint: 'double precision',
    text: 'text collate "C"',
  };
}

/** Escape character: NUL is stored as ESCAPE U+0001, and ESCAPE itself as ESCAPE U+0002. */
const ESCAPE = '\u0001';
const ESCAPED_NUL = `${ESCAPE}\u0001`;
const ESCAPED_ESCAPE = `${ESCAPE}\u0002`;

/**
 * Encodes NUL, which PostgreSQL cannot store. Keeps the sort order. Text without NUL and U+0001
 * stays unchanged.
 */
export function encodeText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, ESCAPED_ESCAPE).replaceAll('\0', ESCAPED_NUL);
}

export function decodeText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(ESCAPED_NUL, '\0').replaceAll(ESCAPED_ESCAPE, ESCAPE);
}
