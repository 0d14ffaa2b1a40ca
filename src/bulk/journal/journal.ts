import type { DatabaseSync } from 'node:sqlite';
import type { Failure } from '../../kernel/errors.ts';
import { type ExistingCounts, NO_EXISTING } from '../existing-records.ts';
import type { WrittenRejects } from '../rejects-file.ts';
import {
  checkStructure,
  createJournalDatabase,
  damagedError,
  IN_MEMORY,
  journalError,
  openJournalDatabase,
  withFlush,
} from './database.ts';
import { FactTable } from './facts.ts';
import type { JobDescription } from './job-description.ts';
import type { SavedMetrics } from './metrics.ts';
import { type RecordRange, type SentBatch, SentBatchTable } from './sent-batches.ts';
import { type UnsuccessfulRecord, UnsuccessfulRecordTable } from './unsuccessful-records.ts';

export interface BatchSettlement {
  readonly range: RecordRange;
  readonly known: readonly RecordRange[];
  /** Ranges that a resume sends again. Records in neither kind of range count as unsent. */
  readonly open: readonly RecordRange[];
  /** The unsuccessful records. Records in open ranges have the status `open`. */
  readonly items: readonly UnsuccessfulRecord[];
  readonly requests: number;
  readonly retries: number;
}

/** The latest run of a job. Times are milliseconds since the epoch. */
export interface JobRunTimes {
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface JobFacts {
  readonly job: JobDescription;
  readonly run: JobRunTimes;
  readonly metrics: SavedMetrics;
  /** The error that stopped a run, by the number of the run. Missing if the process was killed. */
  readonly stopped: { readonly run: number; readonly failure: Failure; readonly message: string };
  /** Present after all records were sent and all files were written. */
  readonly done: { readonly rejects: string | null };
  /** Size of the results file, up to the last line of a settled batch. */
  readonly results: { readonly bytes: number };
  readonly rejects: WrittenRejects | null;
  readonly existing: ExistingCounts;
  readonly plan: unknown;
}

export interface OutcomeCounts extends ExistingCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly open: number;
  readonly requests: number;
  readonly retries: number;
}

const NO_EFFORT = { sends: 0, requests: 0, retries: 0 };

/** Durability of a write. A killed process loses nothing; a machine crash can lose the last writes that are not `durable`. */
export type Durability = 'durable' | 'written';

/**
 * The durable log of a job. An intent is written before a batch is sent, and the outcome afterwards. Outcomes between two
 * intents are written together with the second intent.
 */
export class Journal {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #sentBatches: SentBatchTable;
  readonly #unsuccessfulRecords: UnsuccessfulRecordTable;
  readonly #facts: FactTable;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #pending: (() => void)[] = [];

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.#sentBatches = new SentBatchTable(database);
    this.#unsuccessfulRecords = new UnsuccessfulRecordTable(database);
    this.#facts = new FactTable(database);
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
  }

  static async create(job: JobDescription, path: string = IN_MEMORY, plan?: unknown): Promise<Journal> {
    const database = await createJournalDatabase(path, (created) => {
      const facts = new FactTable(created);
      facts.put('job', job);
      if (plan !== undefined) facts.put('plan', plan);
    });
    return new Journal(path, database);
  }

  /** @throws SvcError `local` if the journal cannot be used or is damaged */
  static async open(path: string): Promise<Journal> {
    const database = await openJournalDatabase(path);
    try {
      return new Journal(path, database);
    } catch (error) {
      database.close();
      throw journalError(path, error);
    }
  }

  /** Records that a range is about to be sent, and flushes pending changes. */
  recordIntent(range: RecordRange, durability: Durability = 'written'): void {
    const { sends, requests, retries } = this.#read(() => this.#sentBatches.effortAt(range.first)) ?? NO_EFFORT;
    const batch = { ...range, settled: false, sends: sends + 1, requests, retries };
    const put = () => {
      this.#sentBatches.put(batch);
      if (sends > 0) this.#unsuccessfulRecords.remove(range.first, range.last);
    };
    this.#write([...this.#pending, put], durability);
    this.#pending = [];
  }

  /** Records an outcome, which the next `recordIntent` or `flush` writes. */
  recordOutcome(settlement: BatchSettlement): void {
    this.#pending.push(() => this.#applySettlement(settlement));
  }

  /** Marks records of a settled batch as unsent, so that a resume sends them again. @param settled the other records */
  reopen(range: RecordRange, settled: readonly RecordRange[]): void {
    this.#pending.push(() => {
      this.#unsuccessfulRecords.remove(range.first, range.last);
      this.#applySettlement({ range, known: settled, open: [], items: [], requests: 0, retries: 0 });
    });
  }

  /** Sets a fact, which the next `recordIntent` or `flush` writes. */
  setFact<Name extends keyof JobFacts>(name: Name, fact: JobFacts[Name]): void {
    this.#pending.push(() => this.#facts.put(name, fact));
  }

  getFact<Name extends keyof JobFacts>(name: Name): JobFacts[Name] | undefined {
    return this.#read(() => this.#facts.get(name, this.#damaged) as JobFacts[Name] | undefined);
  }

  flush(durability: Durability = 'written'): void {
    if (this.#pending.length === 0) return;
    this.#write(this.#pending, durability);
    this.#pending = [];
  }

  /** Reads the sent batches in order. Later batches may be written in the meantime. */
  sentBatches(): Generator<SentBatch> {
    return this.#iterate(this.#sentBatches.all(this.#damaged));
  }

  unsuccessfulRecords(): Generator<UnsuccessfulRecord> {
    return this.#iterate(this.#unsuccessfulRecords.all(this.#damaged));
  }

  counts(): OutcomeCounts {
    return this.#read(() => {
      const { settled, ...sums } = this.#sentBatches.totals();
      const { failed = 0, unknown = 0 } = this.#unsuccessfulRecords.counts();
      const existing = this.getFact('existing') ?? NO_EXISTING;
      return { succeeded: settled - failed - unknown - existing.existing, failed, unknown, ...existing, ...sums };
    });
  }

  /** Verifies the whole journal before a resume. @throws SvcError `local` if any part is damaged */
  verify(): void {
    checkStructure(this.#database, this.path);
    this.#read(() => {
      const items = this.unsuccessfulRecords();
      let item = items.next();
      for (const { first, last, count, settled } of this.sentBatches()) {
        let within = 0;
        for (; !item.done && item.value.at <= last; item = items.next()) {
          if (item.value.at < first || settled !== (item.value.status !== 'open')) throw this.#damaged();
          within += 1;
        }
        if (within > count) throw this.#damaged();
      }
      if (!item.done) throw this.#damaged();
    });
  }

  /** Closes the journal, unless it is closed already. Discards pending changes. */
  close(): void {
    this.#pending = [];
    if (this.#database.isOpen) this.#database.close();
  }

  #applySettlement({ range, known, open, items, requests, retries }: BatchSettlement): void {
    const before = this.#sentBatches.effortAt(range.first) ?? NO_EFFORT;
    this.#sentBatches.remove(range.first);
    const parts = [...known.map((part) => ({ ...part, settled: true })), ...open.map((part) => ({ ...part, settled: false }))];
    for (const [at, part] of parts.entries()) {
      const effort = { requests: before.requests + requests, retries: before.retries + retries };
      this.#sentBatches.put({ ...part, sends: before.sends, ...(at === 0 ? effort : { requests: 0, retries: 0 }) });
    }
    for (const item of items) this.#unsuccessfulRecords.put(item);
  }

  #write(steps: readonly (() => void)[], durability: Durability): void {
    const transaction = () => this.#runTransaction(steps);
    try {
      if (durability === 'durable') withFlush(this.#database, transaction);
      else transaction();
    } catch (error) {
      throw journalError(this.path, error);
    }
  }

  #runTransaction(steps: readonly (() => void)[]): void {
    try {
      this.#begin.run();
      for (const step of steps) step();
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  *#iterate<Row>(rows: Generator<Row>): Generator<Row> {
    try {
      yield* rows;
    } catch (error) {
      throw journalError(this.path, error);
    }
  }

  #read<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      throw journalError(this.path, error);
    }
  }

  readonly #damaged = () => damagedError(this.path);
}
