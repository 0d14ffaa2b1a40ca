import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { messageOf, SvcError } from '../kernel/errors.ts';
import { createLocalFileError, createPrivateFile, createPrivateFolder } from '../kernel/files.ts';
import type { Folders } from '../kernel/folders.ts';
import { formatCanonicalJson } from '../kernel/json.ts';
import { withoutExperimentalWarning } from '../kernel/process.ts';
import { closeAfter } from '../kernel/resource.ts';
import {
  addGrants,
  createMemberships,
  grantsOf,
  type Memberships,
  NO_MEMBERSHIPS,
  type UserGrant,
} from './memberships.ts';
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

/** Returns the memberships that a record gives, if it is about a user. */
export function grantsOfSent({ identity: [operation], data }: SentRecord): readonly UserGrant[] {
  if (!Array.isArray(data)) return [];
  const [shared, fields] = data;
  return grantsOf({ operation: operation as PlannedWrite['operation'], shared }, { data: fields });
}

const BUSY_TIMEOUT = 5_000;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const SCHEMA = `
  pragma journal_mode = wal; pragma synchronous = normal;
  create table if not exists salt (value blob not null) strict;
  create table if not exists sent (record blob primary key, content blob not null) strict, without rowid;
  create table if not exists access (record blob primary key, content blob not null) strict, without rowid;
  create table if not exists applied (plan text primary key) strict, without rowid;
`;

/** Memberships that were sent for a user. */
export interface SentMemberships {
  readonly memberships: Memberships;
  /** Time of the latest one in Unix milliseconds. */
  readonly time: number;
}

/**
 * Remembers the records sent to each service: a hash of the latest content of each record that
 * cannot be read back, the memberships of users, and the digests of applied plans. Hashes are
 * salted, and memberships are encrypted with a key that depends on the ID of the user, so that the
 * file does not reveal content. Losing the file costs nothing but sending records again.
 */
export class Ledger {
  readonly #database: DatabaseSync;
  readonly #salt: Uint8Array;
  readonly #find: StatementSync;
  readonly #put: StatementSync;
  readonly #findAccess: StatementSync;
  readonly #putAccess: StatementSync;

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
    this.#findAccess = database.prepare('select content from access where record = ?');
    this.#putAccess = database.prepare(
      'insert or replace into access (record, content) values (?, ?)',
    );
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

  /**
   * Notes records that the service acknowledged. The note survives the end of the process.
   * @param now Unix milliseconds
   */
  noteSent(target: PlanTarget, records: readonly SentRecord[], now: number): void {
    this.#write(() => {
      for (const record of records) {
        const { identity, data } = record;
        this.#put.run(this.#hash([target, identity]), this.#hash(data));
        for (const grant of grantsOfSent(record)) this.#noteGrant(target, grant, now);
      }
    });
  }

  /** Returns the memberships that were sent for a user; undefined if none were. */
  findMemberships(
    target: PlanTarget,
    { organizationId, userId }: Pick<UserGrant, 'organizationId' | 'userId'>,
  ): SentMemberships | undefined {
    const identity = [target, 'access', organizationId, userId];
    const row = this.#try(() => this.#findAccess.get(this.#hash(identity)));
    const text = row && this.#decrypt(identity, row['content'] as Uint8Array);
    if (text === undefined) return undefined;
    const { memberships, time } = JSON.parse(text);
    return { memberships: createMemberships(memberships), time };
  }

  #noteGrant(target: PlanTarget, grant: UserGrant, time: number): void {
    const identity = [target, 'access', grant.organizationId, grant.userId];
    const { memberships = NO_MEMBERSHIPS } = this.findMemberships(target, grant) ?? {};
    const after = [...addGrants(memberships, [grant]).values()];
    const content = this.#encrypt(identity, JSON.stringify({ memberships: after, time }));
    this.#putAccess.run(this.#hash(identity), content);
  }

  #encrypt(identity: unknown, text: string): Uint8Array {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keyOf(identity), iv);
    const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]);
  }

  /** Returns undefined for content that was not encrypted with the key of the identity. */
  #decrypt(identity: unknown, content: Uint8Array): string | undefined {
    try {
      const iv = content.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#keyOf(identity), iv);
      decipher.setAuthTag(content.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const encrypted = content.subarray(IV_BYTES + TAG_BYTES);
      return decipher.update(encrypted, undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  #keyOf(identity: unknown): Uint8Array {
    const text = formatCanonicalJson(['key', identity]);
    return createHmac('sha256', this.#salt).update(text).digest();
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
    this.#write(() => this.#database.exec('delete from sent; delete from access'));
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
