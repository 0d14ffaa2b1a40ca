import type { Transaction } from 'kysely';
import type { Peers } from './peers.ts';
import type { Tables } from './tables.ts';

/** A transaction. The service accesses its data only through transactions. */
export type Database = Transaction<Tables>;

type Work<Result> = (database: Database) => Promise<Result>;

/**
 * The service's data. Each `work` runs in one transaction: it is applied completely or not at all, and is on disk once the
 * promise resolves. A write may run again from its start after a deadlock.
 */
export interface Store {
  /** Communication between the processes that use the store; undefined if all of them run on this machine. */
  readonly peers?: Peers;
  /** Runs a read on a consistent snapshot. */
  read<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs a write, exclusive with all other writes in all processes. A write that changes only the data of one API key
   * names the key, and is exclusive only with writes of the same key.
   */
  write<Result>(work: Work<Result>, apiKey?: string): Promise<Result>;
  /**
   * Runs a write without waiting for the disk, for work that is repeated if it is lost. A process crash loses nothing. A
   * machine crash may lose the latest writes, but never parts of a write. Runs concurrently with other writes, except
   * those of `write` without an API key, so its statements must lock the rows that they change.
   */
  writeRelaxed<Result>(work: Work<Result>): Promise<Result>;
  /** Deletes all rows of these tables. A table must come after the tables that reference it. */
  deleteAllRows(tables: readonly (keyof Tables)[]): Promise<void>;
  close(): Promise<void>;
}
