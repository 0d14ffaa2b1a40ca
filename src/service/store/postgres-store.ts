import { type Kysely, type RawBuilder, sql, type TransactionSettings } from 'kysely';
import { SvcError } from '../../kernel/errors.ts';
import { openPostgres } from './postgres.ts';
import {
  isBrokenConnection,
  isMissingPostgresTable,
  isRetryable,
  toPostgresOpenError,
  toPostgresTransactionError,
} from './postgres-errors.ts';
import { createPostgresPeers } from './postgres-peers.ts';
import { pipelineQueries } from './prepared-query.ts';
import { Refusal } from './refusal.ts';
import { upgradeStore } from './schema.ts';
import {
  batchRemoteWrites,
  poolReads,
  type RemoteSavepoints,
  type RemoteWrites,
} from './shared-transactions.ts';
import { advisoryLock } from './sharing.ts';
import type { Store, Work, WriteScope } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Opens a PostgreSQL database as a store. Any number of machines may use the store.
 * @param busyTimeout time that a write waits for others, in milliseconds
 * @throws SvcError `unreachable` if the server does not respond, `no_credential` or
 * `unauthenticated` for a missing or wrong password, `not_found` if the database does not exist,
 * `local` for other problems
 */
export async function openPostgresStore(
  url: string,
  busyTimeout: number,
  signal?: AbortSignal,
): Promise<Store> {
  signal?.throwIfAborted();
  const { kysely, connect, abort, unansweredSince } = openPostgres(url);
  const store = {
    ...createStore(kysely, url, busyTimeout),
    peers: createPostgresPeers(kysely, connect),
    unansweredSince,
  };
  signal?.addEventListener('abort', abort);
  try {
    await checkEncoding(kysely, url);
    await upgradeStore(store, url, isMissingPostgresTable);
    return store;
  } catch (error) {
    abort();
    await store.close();
    signal?.throwIfAborted();
    throw toPostgresOpenError(error, url);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Rejects a database with an encoding other than UTF-8, which could not store all text. */
async function checkEncoding(kysely: Kysely<Tables>, url: string): Promise<void> {
  const query = sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`;
  const encoding = (await query.execute(kysely)).rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  const message = `the database of the store ${url} has the encoding ${encoding}, which cannot store every text`;
  throw new SvcError('local', message, {
    hint: 'create a database with createdb -T template0 -E UTF8 <database>',
  });
}

/**
 * Connections for reads. Few, because the reads that wait for a connection share a transaction and
 * its lookups.
 */
const READ_CONNECTIONS = 4;
/** Maximum number of attempts after a deadlock or a conflict. Both are rare. */
const MAX_TRIES = 10;

/**
 * Creates a store that separates writers with advisory locks, which end with the transaction. A
 * write for an API key takes a shared lock on the store and an exclusive lock on the key. Any other
 * write takes an exclusive lock on the store. With `read committed`, each later statement sees all
 * commits before the lock.
 */
function createStore(kysely: Kysely<Tables>, url: string, busyTimeout: number): Store {
  const write = <Result>(lock: RawBuilder<unknown>, work: Work<Result>) =>
    transactRepeatedly(kysely, WRITING, async (database) => {
      await lock.execute(database);
      return work(database);
    }).catch((error) => {
      throw toPostgresTransactionError(error, url);
    });
  const exclusive = sql`select ${timeoutSettings(busyTimeout)}, ${advisoryLock(WHOLE_STORE.apiKey)}`;
  const shared = sql`select ${timeoutSettings(busyTimeout)}, ${advisoryLock(WHOLE_STORE.apiKey, true)}`;
  const relaxed = sql`${shared}, set_config('synchronous_commit', 'off', true)`;
  const isStatementError = (error: unknown) => !(error instanceof Refusal);
  const read = poolReads(
    READ_CONNECTIONS,
    (work) => transactRepeatedly(kysely, SNAPSHOT, work),
    isStatementError,
  );
  const explain = (error: unknown): never => {
    throw toPostgresTransactionError(error, url);
  };
  // Writes that wait for each other hold no connection, so reads can use all of them.
  const runInBatch = createBatches((lockName, onIdle) => {
    const lock = lockName === '' ? exclusive : sql`${shared}, ${advisoryLock(lockName)}`;
    return batchRemoteWrites((work) => write(lock, work), SAVEPOINTS, onIdle);
  });
  return {
    read: (work) => read(work).catch(explain),
    write: (work, scope = WHOLE_STORE) => runInBatch(scope, work).catch(explain),
    writeRelaxed: (work) => write(relaxed, work),
    // Deleting rows would check all references to each row.
    deleteAllRows: (tables) => {
      const names = sql.join(tables.map((table) => sql.table(table)));
      return write(exclusive, (database) => sql`truncate ${names}`.execute(database)).then(
        () => undefined,
      );
    },
    close: () => kysely.destroy(),
  };
}

/** Has no access mode: a database may be read-only by default, to be protected from writes. */
const WRITING = { isolationLevel: 'read committed' } as const;
const SNAPSHOT = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;

type Settings = Pick<Required<TransactionSettings>, 'isolationLevel'> & TransactionSettings;

/** Runs a transaction again after a conflict with another one. */
async function transactRepeatedly<Result>(
  kysely: Kysely<Tables>,
  settings: Settings,
  work: Work<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await transact(kysely, settings, work);
    } catch (error) {
      if (!isRetryable(error) || tries >= MAX_TRIES) throw error;
    }
  }
}

/**
 * Maximum number of consecutive broken connections. All idle connections in the pool may be broken.
 */
const MAX_BROKEN = 10;

/**
 * If the connection turns out to be closed before the first statement, retries on another
 * connection. Rejects with the first error, because the rollback may also fail.
 */
async function transact<Result>(
  kysely: Kysely<Tables>,
  settings: Settings,
  work: Work<Result>,
): Promise<Result> {
  let hasStarted = false;
  let failed: { readonly error: unknown } | undefined;
  const tracked: Work<Result> = async (database) => {
    hasStarted = true;
    await pipelineQueries(database);
    return work(database).catch((error) => {
      failed = { error };
      throw error;
    });
  };
  const { isolationLevel, accessMode } = settings;
  for (let broken = 0; ; broken++) {
    try {
      const transaction = kysely.transaction().setIsolationLevel(isolationLevel);
      return await (accessMode ? transaction.setAccessMode(accessMode) : transaction).execute(
        tracked,
      );
    } catch (error) {
      if (!hasStarted && isBrokenConnection(error) && broken < MAX_BROKEN) continue;
      throw failed ? failed.error : error;
    }
  }
}

/**
 * Returns the name of the lock that a write takes. Large writes that lock only rows exclude each
 * other, but no small ones.
 */
function lockNameOf({ apiKey, isLarge, locksOnlyRows }: WriteScope): string {
  return isLarge && locksOnlyRows ? `large ${apiKey}` : apiKey;
}

/**
 * Time limit for an idle transaction, in milliseconds. The server then rolls the transaction back.
 */
const IDLE_TRANSACTION_TIMEOUT = 60_000;

/**
 * Connections may be shared between processes by a pooler, so each transaction sets its timeouts.
 */
function timeoutSettings(busyTimeout: number): RawBuilder<unknown> {
  return sql`set_config('lock_timeout', ${String(busyTimeout)}, true), set_config('idle_in_transaction_session_timeout', ${String(IDLE_TRANSACTION_TIMEOUT)}, true)`;
}

const SAVEPOINTS: RemoteSavepoints = {
  execute: (database, statement) => sql.raw(statement).execute(database),
  endsTransaction: (error) => isRetryable(error) || isBrokenConnection(error),
};

const WHOLE_STORE: WriteScope = { apiKey: '' };

/** Creates the batch of a lock when it is needed, and forgets idle ones. */
function createBatches(create: (lockName: string, onIdle: () => void) => RemoteWrites) {
  const batchesByLock = new Map<string, RemoteWrites>();
  return <Result>(scope: WriteScope, work: Work<Result>): Promise<Result> => {
    const name = lockNameOf(scope);
    const write = batchesByLock.get(name) ?? create(name, () => batchesByLock.delete(name));
    batchesByLock.set(name, write);
    return write(work, { part: scope.organizationId, isLarge: scope.isLarge });
  };
}
