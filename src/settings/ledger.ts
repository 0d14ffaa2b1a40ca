import { createHmac, randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { messageOf, SvcError } from '../kernel/errors.ts';
import { createLocalFileError, createPrivateFile, createPrivateFolder } from '../kernel/files.ts';
import type { Folders } from '../kernel/folders.ts';
import { formatCanonicalJson } from '../kernel/json.ts';
import { withoutExperimentalWarning } from '../kernel/process.ts';
import { closeAfter } from '../kernel/resource.ts';
import type { PlannedItem, PlannedWrite, PlanTarget } from './plan.ts';

/**
 * A record that cannot be read back: its identity among the records of its target, and everything
 * that is sent for it.
 */
export interface SentRecord {
  /** Parts that identify the record, such as the operation and the record's key. */
  readonly identity: readonly string[];
  readonly data: unknown;
}

export function toSentRecord(
  { operation, shared }: Pick<PlannedWrite, 'operation' | 'shared'>,
  { key, data }: Pick<PlannedItem, 'key' | 'data'>,
): SentRecord {
  return { identity: [operation, key], data: [shared, data] };
}

const BUSY_TIMEOUT = 5_000;

const SCHEMA = `
  pragma journal_mode = wal; pragma synchronous = normal;
  create table if not exists salt (value blob not null) strict;
  create table if not exists sent (record blob primary key, content blob not null) strict, without rowid;
  create table if not exists applied (plan text primary key) strict, without rowid;
`;

/**
 * Remembers the records sent to each service: a hash of the latest content of each record that
 * cannot be read back, and the digests of applied plans. Hashes are salted, so that the file does
 * not reveal content. Losing the file costs nothing but sending records again.
 */
export class Ledger {
  readonly #database: DatabaseSync;
  readonly #salt: Uint8Array;
  readonly #find: StatementSync;
  readonly #put: StatementSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
    database.exec(SCHEMA);
    // Damage within a table would be found only when a statement reads that part.
    const check = database.prepare('pragma quick_check(1)').get();
    if (check?.['quick_check'] !== 'ok') throw new DamagedFile();
    database
      .prepare('insert into salt select ? where not exists (select 1 from salt)')
      .run(randomBytes(32));
    this.#salt = database.prepare('select value from salt').get()?.['value'] as Uint8Array;
    this.#find = database.prepare('select content from sent where record = ?');
    this.#put = database.prepare('insert or replace into sent (record, content) values (?, ?)');
  }

  /**
   * Opens the ledger of this user, and creates it if it does not exist. A damaged ledger is
   * renamed, with a warning.
   * @throws SvcError `local` if the file cannot be used
   */
  static async open({ state }: Folders, warn: (text: string) => Promise<void>): Promise<Ledger> {
    const path = join(state, 'ledger.sqlite');
    await createPrivateFolder(state);
    try {
      return await Ledger.#open(path);
    } catch (error) {
      if (!isDamage(error)) throw createLocalFileError('use', path, error);
      const aside = `${path}.damaged-${randomBytes(3).toString('hex')}`;
      await rename(path, aside);
      for (const suffix of ['-wal', '-shm']) await rm(path + suffix, { force: true });
      await warn(
        `the ledger was damaged and has been moved to ${aside}; records that cannot be read back are sent again`,
      );
      return Ledger.#open(path);
    }
  }

  static async use<Result>(
    {
      folders,
      warn,
    }: { readonly folders: Folders; readonly warn: (text: string) => Promise<void> },
    work: (ledger: Ledger) => Result | Promise<Result>,
  ): Promise<Result> {
    return closeAfter(await Ledger.open(folders, warn), work);
  }

  static async #open(path: string): Promise<Ledger> {
    await createPrivateFile(path);
    const { DatabaseSync } = await withoutExperimentalWarning(
      'SQLite',
      () => import('node:sqlite'),
    );
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    try {
      return new Ledger(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  knows(target: PlanTarget, { identity, data }: SentRecord): boolean {
    const row = this.#try(() => this.#find.get(this.#hash([target, identity])));
    const content = row?.['content'];
    return content !== undefined && Buffer.compare(content as Uint8Array, this.#hash(data)) === 0;
  }

  /** Notes records that the service acknowledged. The note survives the end of the process. */
  noteSent(target: PlanTarget, records: readonly SentRecord[]): void {
    this.#write(() => {
      for (const { identity, data } of records)
        this.#put.run(this.#hash([target, identity]), this.#hash(data));
    });
  }

  /** Notes that a plan is about to be applied. Returns false if it was noted before. */
  noteApplied(plan: string): boolean {
    return this.#try(() => {
      const insert = this.#database.prepare('insert or ignore into applied (plan) values (?)');
      return insert.run(plan).changes === 1;
    });
  }

  /** Reverts `noteApplied`, for a plan of which nothing was applied. */
  forgetApplied(plan: string): void {
    this.#try(() => this.#database.prepare('delete from applied where plan = ?').run(plan));
  }

  wasApplied(plan: string): boolean {
    return this.#try(() => {
      const find = this.#database.prepare('select 1 from applied where plan = ?');
      return find.get(plan) !== undefined;
    });
  }

  /** Forgets which records were sent, so that they are sent again. */
  forgetSent(): void {
    this.#write(() => this.#database.exec('delete from sent'));
  }

  close(): void {
    this.#database.close();
  }

  #write(step: () => void): void {
    this.#try(() => {
      this.#database.exec('begin immediate');
      step();
      this.#database.exec('commit');
    });
  }

  #try<Result>(step: () => Result): Result {
    try {
      return step();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw new SvcError('local', `cannot use the ledger: ${messageOf(error)}`, { cause: error });
    }
  }

  #hash(value: unknown): Uint8Array {
    return createHmac('sha256', this.#salt)
      .update(formatCanonicalJson(value))
      .digest()
      .subarray(0, 16);
  }
}

/**
 * Primary result codes of SQLite for a damaged file, and for one that is not a database or lacks a
 * column.
 */
const DAMAGE_CODES: readonly unknown[] = [1, 11, 26];

class DamagedFile extends Error {}

function isDamage(error: unknown): boolean {
  return (
    error instanceof DamagedFile ||
    (error instanceof Error &&
      'errcode' in error &&
      DAMAGE_CODES.includes(Number(error.errcode) & 0xff))
  );
}
