import type { RequestDetail, RequestRecord } from '../../../catalog/local/answers.ts';
import { createStoreFile, IN_MEMORY } from '../../store/location.ts';
import { openDatabase } from '../../store/sqlite.ts';

/** Maximum number of requests to keep. The oldest are deleted. */
const MAX_REQUESTS = 2_000;
/** Maximum time that a request waits for another process, in milliseconds. */
const BUSY_TIMEOUT = 100;
const VERSION = 1;
const TABLES = `
create table requests (id integer primary key, operation text, ended real, detail text);
create table counts (generation text, rule integer, count integer, primary key (generation, rule));
pragma user_version = ${VERSION};`;

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
  readonly record: RequestRecord;
  readonly readBodies: () => Pick<RequestDetail, 'request' | 'response'>;
  /** In milliseconds since the epoch. */
  readonly ended: number;
}

/** The stored requests of a service, and how often each fault rule has applied. */
export interface RequestFile {
  readonly lastId: () => number;
  readonly append: (requests: readonly NewRequest[]) => void;
  readonly list: (filter: RequestFilter) => readonly RequestDetail[];
  readonly find: (id: number) => RequestDetail | undefined;
  /** Counts a request for a fault rule, and returns the new count. */
  readonly count: (generation: string, rule: number) => number;
  readonly deleteOtherCounts: (generation: string) => void;
  readonly close: () => void;
}

/**
 * Opens the request log, which is separate from the store. A crash may lose it, so writes do not
 * wait for the disk.
 * @throws errors of the file system and of SQLite
 */
export async function openRequestFile(path: string): Promise<RequestFile> {
  if (path !== IN_MEMORY) await createStoreFile(path);
  const database = await openDatabase(path, BUSY_TIMEOUT);
  database.exec('pragma journal_mode = wal; pragma synchronous = off');
  const inTransaction = (work: () => void) => {
    database.exec('begin immediate');
    try {
      work();
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  };
  inTransaction(() => {
    const version = database.prepare('pragma user_version').get()?.['user_version'];
    if (version !== VERSION)
      database.exec(`drop table if exists requests; drop table if exists counts; ${TABLES}`);
  });
  const lastId = database.prepare('select coalesce(max(id), 0) as id from requests');
  const insert = database.prepare('insert into requests values (?, ?, ?, ?)');
  const trim = database.prepare('delete from requests where id <= ?');
  const increment = database.prepare(
    'insert into counts values (?, ?, 1) on conflict do update set count = count + 1 returning count',
  );
  const select = (
    condition: string,
    ...values: readonly (string | number)[]
  ): readonly RequestDetail[] => {
    const rows = database.prepare(`select detail from requests where ${condition}`).all(...values);
    return rows.map(({ detail }) => JSON.parse(String(detail)));
  };
  return {
    lastId: () => Number(lastId.get()?.['id']),
    append: (requests: readonly NewRequest[]) =>
      inTransaction(() => {
        let last = Number(lastId.get()?.['id']);
        for (const { record, readBodies, ended } of requests) {
          // Other processes may have added requests.
          last = Math.max(record.id, last + 1);
          const detail: RequestDetail = { ...record, id: last, ...readBodies() };
          insert.run(last, record.operation, ended, JSON.stringify(detail));
        }
        trim.run(last - MAX_REQUESTS);
      }),
    list: ({ on = '', after, since = 0, limit }: RequestFilter) => {
      const condition = "id > ? and ended >= ? and ? in ('', operation) order by id";
      if (after !== undefined) return select(`${condition} limit ?`, after, since, on, limit);
      return select(`${condition} desc limit ?`, 0, since, on, limit).toReversed();
    },
    find: (id: number): RequestDetail | undefined => select('id = ?', id)[0],
    count: (generation: string, rule: number) => Number(increment.get(generation, rule)?.['count']),
    deleteOtherCounts: (generation: string) => {
      database.prepare('delete from counts where generation <> ?').run(generation);
    },
    close: () => database.close(),
  };
}
