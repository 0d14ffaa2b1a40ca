import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createStoreFile, parseStoreLocation } from '../../store/location.ts';
import { openDatabase } from '../../store/sqlite.ts';
import type { RequestDetail } from './record.ts';

/** Limits of the log. The oldest requests are deleted. */
const MAX_REQUESTS = 5_000;
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Number of requests to add before the limits are checked again. */
const TRIM_INTERVAL = 500;
/** In milliseconds. Limits how long a request waits for another process. */
const BUSY_TIMEOUT = 100;

export const IN_MEMORY = ':memory:';

const VERSION = 1;
const TABLES = `
create table requests (id integer primary key, operation text, ended real, record text, request text, response text, size integer);
create table counts (generation text, rule integer, count integer, primary key (generation, rule));
pragma user_version = ${VERSION};`;

type Database = Awaited<ReturnType<typeof openDatabase>>;

export interface RequestFilter {
  /** Only requests of this operation. */
  readonly on?: string | undefined;
  /** Only requests after the one with this ID, oldest first (default: the newest requests). */
  readonly after?: number | undefined;
  /** Only requests that ended at or after this time, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  readonly limit: number;
}

export interface NewRequest {
  readonly detail: RequestDetail;
  /** In milliseconds since the epoch. */
  readonly ended: number;
}

export type RequestFile = Awaited<ReturnType<typeof openRequestFile>>;

/** Returns the path of a store's log: beside a SQLite file, or in `folder` for a database, with one log per machine. */
export function requestFilePath(location: string, folder: string | undefined): string {
  if (location === IN_MEMORY) return location;
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'file') return `${parsed.path}.requests`;
  if (folder === undefined) return IN_MEMORY;
  return join(folder, `${createHash('sha256').update(parsed.url).digest('hex').slice(0, 16)}.requests`);
}

/**
 * Opens the log of requests, which is a file of its own: losing it in a crash loses no data, so writes do not wait for the
 * disk. @throws errors of the file system and of SQLite
 */
export async function openRequestFile(path: string) {
  if (path !== IN_MEMORY) await createStoreFile(path);
  const database = await openDatabase(path, BUSY_TIMEOUT);
  database.exec('pragma journal_mode = wal; pragma synchronous = off');
  inTransaction(database, () => {
    const version = database.prepare('pragma user_version').get()?.['user_version'];
    if (version !== VERSION) database.exec(`drop table if exists requests; drop table if exists counts; ${TABLES}`);
  });
  const lastId = database.prepare('select coalesce(max(id), 0) as id from requests');
  const insert = database.prepare('insert into requests values (?, ?, ?, ?, ?, ?, ?)');
  const select = database.prepare('select * from requests where id = ?');
  const increment = database.prepare(
    'insert into counts values (?, ?, 1) on conflict do update set count = count + 1 returning count',
  );
  let untrimmed = TRIM_INTERVAL;
  return {
    lastId: () => Number(lastId.get()?.['id']),
    /** Adds requests. Those whose IDs another process has used get new ones. */
    append: (requests: readonly NewRequest[]) => {
      inTransaction(database, () => {
        let last = Number(lastId.get()?.['id']);
        for (const { detail, ended } of requests) {
          const { request, response, ...record } = detail;
          last = Math.max(record.id, last + 1);
          const texts = [{ ...record, id: last }, request, response].map((value) => JSON.stringify(value)) as [
            string,
            string,
            string,
          ];
          insert.run(last, record.operation, ended, ...texts, texts.join('').length);
        }
        untrimmed += requests.length;
        if (untrimmed >= TRIM_INTERVAL) trim(database, last);
        untrimmed %= TRIM_INTERVAL;
      });
    },
    list: (filter: RequestFilter) => listRequests(database, filter),
    find: (id: number): RequestDetail | undefined => {
      const row = select.get(id);
      return row && { ...JSON.parse(String(row['record'])), ...bodiesOf(row) };
    },
    /** Counts a request for a rule of faults. @returns the number so far */
    count: (generation: string, rule: number) => Number(increment.get(generation, rule)?.['count']),
    /** Deletes the counts of former rules. */
    deleteOtherCounts: (generation: string) =>
      void database.prepare('delete from counts where generation <> ?').run(generation),
    close: () => database.close(),
  };
}

function inTransaction(database: Database, work: () => void): void {
  database.exec('begin immediate');
  try {
    work();
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function trim(database: Database, last: number): void {
  database.prepare('delete from requests where id <= ?').run(last - MAX_REQUESTS);
  const total = 'select id, sum(size) over (order by id desc) as total from requests';
  const cut = database.prepare(`select max(id) as id from (${total}) where total > ?`).get(MAX_CHARACTERS)?.['id'];
  if (cut) database.prepare('delete from requests where id <= ?').run(cut);
}

/** Returns requests in the order of their IDs. */
function listRequests(database: Database, { on, after, since, limit }: RequestFilter): readonly RequestDetail[] {
  const conditions = ['id > ?', ...(on ? ['operation = ?'] : []), ...(since === undefined ? [] : ['ended >= ?'])];
  const order = after === undefined ? 'desc' : 'asc';
  const sql = `select * from requests where ${conditions.join(' and ')} order by id ${order} limit ?`;
  const rows = database.prepare(sql).all(after ?? 0, ...(on ? [on] : []), ...(since === undefined ? [] : [since]), limit);
  const details = rows.map((row) => ({ ...JSON.parse(String(row['record'])), ...bodiesOf(row) }));
  return after === undefined ? details.toReversed() : details;
}

function bodiesOf(row: Record<string, unknown>): Pick<RequestDetail, 'request' | 'response'> {
  const [request, response] = [row['request'], row['response']].map((text) => JSON.parse(String(text)));
  return { request, response };
}
