import type { Transaction } from 'kysely';
import type { Peers } from './peers.ts';
import type { Tables } from './tables.ts';

/** A transaction, through which alone the service sees its data. */
export type Database = Transaction<Tables>;

type Work<Result> = (database: Database) => Promise<Result>;

/**
 * The service's data. Each piece of work is one transaction: whole or not at all, and on disk once it resolves. What
 * writes may be run again from its beginning, where a database gives up one of two that wait for each other.
 */
export interface Store {
  /** How processes that use it, of other machines too, know of each other; without it they are all of this machine. */
  readonly peers?: Peers;
  /** Sees the data of one moment. */
  read<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Waits for other writers, of other processes too, as if there were one at a time. Work that changes only what belongs
   * to an API key names it, and need not wait for that of others.
   */
  write<Result>(work: Work<Result>, apiKey?: string): Promise<Result>;
  /**
   * Does without waiting for the disk: for what is done again when it is lost. The end of the process loses nothing;
   * that of the machine may lose what was written last, and leaves nothing half done. Others may write meanwhile, but
   * for those of `write` without an API key: what is to be changed by one alone says so in its statement.
   */
  writeRelaxed<Result>(work: Work<Result>): Promise<Result>;
  /** Deletes every row of these tables, of which none comes before another that refers to it. */
  empty(tables: readonly (keyof Tables)[]): Promise<void>;
  close(): Promise<void>;
}
