import type { Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** A transaction, through which alone the service sees its data. */
export type Database = Transaction<Tables>;

/** The service's data. Each piece of work is one transaction: whole or not at all, and on disk once it resolves. */
export interface Store {
  read<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /** Waits for other writers, of other processes too. */
  write<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  /**
   * As `write`, without waiting for the disk: for what is done again when it is lost. The end of the process loses
   * nothing; that of the machine may lose what was written last, and leaves nothing half done.
   */
  writeRelaxed<Result>(work: (database: Database) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
