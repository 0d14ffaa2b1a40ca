import type { Transaction } from 'kysely';
import type { ChangeSignals } from './change-signals.ts';
import type { Peers } from './postgres-peers.ts';
import type { Tables } from './tables.ts';

/** A transaction. All access to the data is through transactions. */
export type Database = Transaction<Tables>;
export type Work<Result> = (database: Database) => Promise<Result>;

/**
 * The data that a write reads and changes: all data of an API key, or of one of its organizations.
 * With an organization, the write may also read other data of the API key, and add deliveries.
 */
export interface WriteScope {
  readonly apiKey: string;
  readonly organizationId?: string | undefined;
  /** Whether the write takes so long that others must not wait for several of its kind. */
  readonly isLarge?: boolean;
  /**
   * Whether the rows that the write changes are all that it needs to lock, so that it may run beside
   * other writes of the scope.
   */
  readonly locksOnlyRows?: boolean;
}

/**
 * The data of the service. Each `work` is a transaction that is applied completely or not at all.
 * When the promise of a write resolves, the data is on disk. After a deadlock, a write may run
 * again from its start.
 */
export interface Store {
  /**
   * Communication with the other processes, on any machines. Undefined if all processes are on this
   * machine.
   */
  readonly peers?: Peers;
  /** Signals between the processes on this machine. Undefined if the store has peers. */
  readonly signals?: ChangeSignals;
  /**
   * Returns a number that differs after another connection has changed the data. Undefined if that
   * costs a query.
   */
  readonly version?: () => number | undefined;
  /**
   * Returns when the oldest unanswered statement was sent (monotonic, in milliseconds); `undefined` if
   * all were answered. Only a store with a remote database has this method.
   */
  readonly unansweredSince?: () => number | undefined;
  read<Result>(work: Work<Result>): Promise<Result>;
  /**
   * Runs a write that excludes all other writes. With a scope, excludes only the writes whose scope
   * overlaps. A large write has a transaction to itself. In a remote database, others may overtake
   * it, and do not wait for one that locks only rows.
   */
  write<Result>(work: Work<Result>, scope?: WriteScope): Promise<Result>;
  /**
   * Runs a write without waiting for the disk. If the machine crashes, the latest writes may be
   * lost. Runs concurrently with other writes, except for `write` without an API key, so the
   * statements must lock the rows that they change.
   */
  writeRelaxed<Result>(work: Work<Result>): Promise<Result>;
  /** Deletes all rows of the tables. Tables must come before the tables that they refer to. */
  deleteAllRows(tables: readonly (keyof Tables)[]): Promise<void>;
  close(): Promise<void>;
}
