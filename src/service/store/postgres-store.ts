import { type Kysely, type RawBuilder, sql, type TransactionSettings } from 'kysely';
import { SvcError } from '../../kernel/errors.ts';
import { openPostgres } from './postgres.ts';
import { atOpening, atWork, isBroken, isGivenUp, isNoTable } from './postgres-errors.ts';
import { postgresPeers } from './postgres-peers.ts';
import { upgrade } from './schema.ts';
import type { Database, Store } from './store.ts';
import type { Tables } from './tables.ts';
import { oneAfterTheOther } from './turns.ts';

export interface Opening {
  /** Milliseconds that a write waits for others. */
  readonly patience: number;
  /** Ends the wait for a server that does not answer, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a database of a PostgreSQL server, which any number of machines may use at once.
 * @throws SvcError `unreachable` when nobody answers, `no_credential` or `unauthenticated` without the right password,
 * `not_found` without the database, `local` when it cannot be used otherwise.
 */
export async function openPostgresStore(url: string, { patience, signal }: Opening): Promise<Store> {
  signal?.throwIfAborted();
  const { kysely, connect, abort } = openPostgres(url);
  const store = { ...storeOf(kysely, url, patience), peers: postgresPeers(kysely, connect) };
  signal?.addEventListener('abort', abort);
  try {
    await checkEncoding(kysely, url);
    await upgrade(store, url, isNoTable);
    return store;
  } catch (error) {
    abort();
    await store.close();
    signal?.throwIfAborted();
    throw atOpening(error, url);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Another encoding could not hold every text. */
async function checkEncoding(kysely: Kysely<Tables>, url: string): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(
    kysely,
  );
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new SvcError(
    'local',
    `the database of the store ${url} has the encoding ${encoding}, which cannot hold every text`,
    {
      hint: 'make one with createdb -T template0 -E UTF8 <database>',
    },
  );
}

type Work<Result> = (database: Database) => Promise<Result>;

/** Times that work is begun before it is given up: two that wait for each other are rare, and chance parts them. */
const MOST_TRIES = 10;

/**
 * Writers keep out of each other's way by locks that belong to a transaction, and by that end with their process or its
 * connection: what is about one API key takes one that all may share and one of that key, what is about anything takes the
 * first for itself. Behind them each statement sees all that was committed before it.
 */
function storeOf(kysely: Kysely<Tables>, url: string, patience: number): Store {
  const turns = turnsByName();
  const write = async <Result>(first: RawBuilder<unknown>, work: Work<Result>) => {
    const settings = { isolationLevel: 'read committed', accessMode: 'read write' } as const;
    const locked: Work<Result> = async (database) => {
      await first.execute(database);
      return work(database);
    };
    for (let tries = 1; ; tries++) {
      try {
        return await transact(kysely, settings, locked);
      } catch (error) {
        if (!isGivenUp(error) || tries >= MOST_TRIES) throw atWork(error, url);
      }
    }
  };
  const alone = sql`select ${limits(patience)}, pg_advisory_xact_lock(${lockOf('')})`;
  const among = sql`select ${limits(patience)}, pg_advisory_xact_lock_shared(${lockOf('')})`;
  const relaxed = sql`${among}, set_config('synchronous_commit', 'off', true)`;
  return {
    read: (work) =>
      transact(kysely, { isolationLevel: 'repeatable read', accessMode: 'read only' }, work).catch((error) => {
        throw atWork(error, url);
      }),
    write: (work, apiKey) => {
      const first = apiKey === undefined ? alone : sql`${among}, pg_advisory_xact_lock(${lockOf(apiKey)})`;
      return turns(apiKey ?? '', () => write(first, work));
    },
    writeRelaxed: (work) => write(relaxed, work),
    // Row by row, each would be looked for in every table that may refer to it.
    empty: async (tables) => {
      const names = sql.join(tables.map((table) => sql.table(table)));
      await turns('', () => write(alone, (database) => sql`truncate ${names}`.execute(database)));
    },
    close: () => kysely.destroy(),
  };
}

/** Connections that may be found broken, one after the other: as many as may have lain idle. */
const MOST_BROKEN = 10;

/**
 * Begins anew on another connection where the first word on one finds it broken, as poolers close what lies idle.
 * Rejects with what went wrong first: where a connection was lost, the end of the transaction fails as well.
 */
async function transact<Result>(
  kysely: Kysely<Tables>,
  settings: Required<TransactionSettings>,
  work: Work<Result>,
): Promise<Result> {
  let hasBegun = false;
  let failed: { readonly error: unknown } | undefined;
  const watched: Work<Result> = (database) => {
    hasBegun = true;
    return work(database).catch((error) => {
      failed = { error };
      throw error;
    });
  };
  const { isolationLevel, accessMode } = settings;
  for (let broken = 0; ; broken++) {
    try {
      return await kysely.transaction().setIsolationLevel(isolationLevel).setAccessMode(accessMode).execute(watched);
    } catch (error) {
      if (!hasBegun && isBroken(error) && broken < MOST_BROKEN) continue;
      throw failed ? failed.error : error;
    }
  }
}

/** The number of a lock: of this schema's store, or of an API key in it. */
function lockOf(apiKey: string): RawBuilder<unknown> {
  return sql`hashtextextended('svc ' || current_schema() || ' ' || ${apiKey}::text, 0)`;
}

/** Milliseconds after which the server takes a transaction back that its machine has forgotten, and with it the locks. */
const FORGOTTEN = 60_000;

/** Settings of a transaction: not of a connection, which a pooler before the server may share among several of us. */
function limits(patience: number): RawBuilder<unknown> {
  return sql`set_config('lock_timeout', ${String(patience)}, true), set_config('idle_in_transaction_session_timeout', ${String(FORGOTTEN)}, true)`;
}

/** Who waits in this process does not hold a connection meanwhile, which reads may want. */
function turnsByName() {
  const lines = new Map<string, { readonly inTurn: ReturnType<typeof oneAfterTheOther>; waiting: number }>();
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const line = lines.get(name) ?? { inTurn: oneAfterTheOther(), waiting: 0 };
    lines.set(name, line);
    line.waiting++;
    try {
      return await line.inTurn(work);
    } finally {
      line.waiting--;
      if (line.waiting === 0) lines.delete(name);
    }
  };
}
