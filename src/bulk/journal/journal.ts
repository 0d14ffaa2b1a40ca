import type { DatabaseSync } from 'node:sqlite';
import type { Failure } from '../../kernel/errors.ts';
import { CheckedTable } from './checked-table.ts';
import {
  checkStructure,
  createDamagedError,
  createJournalDatabase,
  createJournalError,
  IN_MEMORY,
  openJournalDatabase,
  withFlush,
} from './database.ts';
import type { JobDescription } from './job-description.ts';
import type { SavedMetrics } from './metrics.ts';
import {
  type ExistingCounts,
  NO_EXISTING,
  type OrganizationCounts,
  type RecordRange,
  type SavedResults,
  type SentBatch,
  toStorable,
  type UnsuccessfulRecord,
  type WrittenRejects,
} from './outcomes.ts';

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

export interface JobRunTimes {
  readonly number: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A change that no request could make. */
export type BlockedChange = Pick<UnsuccessfulRecord, 'id' | 'line' | 'message' | 'code'>;

export interface JobFacts {
  readonly job: JobDescription;
  readonly run: JobRunTimes;
  readonly metrics: SavedMetrics;
  /** The error that stopped a run, by the number of the run. Missing if the process was killed. */
  readonly stopped: { readonly run: number; readonly failure: Failure; readonly message: string };
  readonly done: { readonly rejects: string | null };
  readonly results: SavedResults;
  readonly rejects: WrittenRejects | null;
  readonly existing: ExistingCounts;
  /** The first organizations of a job whose records name them. */
  readonly organizations: readonly OrganizationCounts[];
  /** The organizations that were new when the job started. */
  readonly newOrganizations: readonly string[];
  readonly plan: unknown;
  /** The changes of the plan that could not be made, which count as failed. */
  readonly blocked: readonly BlockedChange[];
  /** Result of a job that only reads, by the index of its record. */
  readonly [read: `read:${number}`]: unknown;
  /** The approvals of the plan. */
  readonly approvals: readonly { readonly name: string; readonly text: string }[];
  /** Names of the people who approved the plan. */
  readonly approvedBy: readonly string[];
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

interface FactRow {
  readonly name: string;
  readonly value: string;
}

/** Batches do not overlap. */
type BatchRow = Omit<SentBatch, 'settled'> & { readonly settled: 0 | 1 };
const BATCH_COLUMNS = [
  'first',
  'last',
  'count',
  'settled',
  'sends',
  'requests',
  'retries',
] as const;
const ITEM_COLUMNS = ['at', 'id', 'line', 'status', 'message', 'code'] as const;
const BATCH_TOTALS = `select coalesce(sum(count) filter (where settled = 1), 0) settled,
  coalesce(sum(count) filter (where settled = 0), 0) open,
  coalesce(sum(requests), 0) requests, coalesce(sum(retries), 0) retries from flight`;

/**
 * Durability of a write. A killed process loses nothing; a machine crash can lose the last writes
 * that are not `durable`.
 */
export type Durability = 'durable' | 'written';

/**
 * The durable log of a job. An intent is written before a batch is sent, and the outcome
 * afterwards. Outcomes between two writes of intents are written together with the second one.
 */
export class Journal {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #batches: CheckedTable<BatchRow>;
  readonly #items: CheckedTable<UnsuccessfulRecord>;
  readonly #facts: CheckedTable<FactRow>;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #pending: (() => void)[] = [];

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.#batches = new CheckedTable(database, path, 'flight', BATCH_COLUMNS);
    this.#items = new CheckedTable(database, path, 'item', ITEM_COLUMNS);
    this.#facts = openFacts(database, path);
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
  }

  static async create(
    job: JobDescription,
    path: string = IN_MEMORY,
    plan?: unknown,
  ): Promise<Journal> {
    const database = await createJournalDatabase(path, (created) => {
      const facts = openFacts(created, path);
      facts.put({ name: 'job', value: JSON.stringify(job) });
      if (plan !== undefined) facts.put({ name: 'plan', value: JSON.stringify(plan) });
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
      throw createJournalError(path, error);
    }
  }

  /** Records that ranges are about to be sent, in one transaction with all pending changes. */
  recordIntents(ranges: readonly RecordRange[], durability: Durability = 'written'): void {
    const puts = ranges.map((range) => () => {
      const { sends, requests, retries } = this.#batches.get(range.first) ?? NO_EFFORT;
      this.#batches.put({ ...range, settled: 0, sends: sends + 1, requests, retries });
      if (sends > 0) this.#items.remove(range.first, range.last);
    });
    this.#write([...this.#pending, ...puts], durability);
    this.#pending = [];
  }

  recordOutcome(settlement: BatchSettlement): void {
    this.#pending.push(() => this.#applySettlement(settlement));
  }

  /**
   * Marks records of a settled batch as unsent, so that a resume sends them again.
   * @param settled the other records in order, which keep their outcomes
   */
  reopen(range: RecordRange, settled: readonly RecordRange[]): void {
    this.#pending.push(() => {
      let next = range.first;
      for (const { first, last } of settled) {
        if (next < first) this.#items.remove(next, first - 1);
        next = last + 1;
      }
      if (next <= range.last) this.#items.remove(next, range.last);
      this.#applySettlement({
        range,
        known: settled,
        open: [],
        items: [],
        requests: 0,
        retries: 0,
      });
    });
  }

  setFact<Name extends keyof JobFacts>(name: Name, fact: JobFacts[Name]): void {
    this.#pending.push(() => this.#facts.put({ name, value: JSON.stringify(fact) }));
  }

  getFact<Name extends keyof JobFacts>(name: Name): JobFacts[Name] | undefined {
    const fact = this.#read(() => this.#facts.get(name));
    return fact && JSON.parse(fact.value);
  }

  flush(durability: Durability = 'written'): void {
    if (this.#pending.length === 0) return;
    this.#write(this.#pending, durability);
    this.#pending = [];
  }

  /** Reads the sent batches in order. Later batches may be written in the meantime. */
  *sentBatches(): Generator<SentBatch> {
    let next = 0;
    for (const batch of this.#iterate(this.#batches.rows())) {
      const { first, last, count } = batch;
      if (first < next || count < 1 || last - first + 1 < count)
        throw createDamagedError(this.path);
      next = last + 1;
      yield { ...batch, settled: batch.settled === 1 };
    }
  }

  unsuccessfulRecords(): Generator<UnsuccessfulRecord> {
    return this.#iterate(this.#items.rows());
  }

  counts(): OutcomeCounts {
    return this.#read(() => {
      const sums = this.#database.prepare(BATCH_TOTALS).get() as Record<
        'settled' | 'open' | 'requests' | 'retries',
        number
      >;
      const items = this.#database
        .prepare('select status, count(*) count from item group by status')
        .all();
      const { failed = 0, unknown = 0 } = Object.fromEntries(
        items.map(({ status, count }) => [status, Number(count)]),
      );
      const existing = this.getFact('existing') ?? NO_EXISTING;
      const { settled, ...effort } = sums;
      return {
        succeeded: settled - failed - unknown - existing.existing,
        failed,
        unknown,
        ...existing,
        ...effort,
      };
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
          if (item.value.at < first || settled !== (item.value.status !== 'open'))
            throw createDamagedError(this.path);
          within += 1;
        }
        if (within > count) throw createDamagedError(this.path);
      }
      if (!item.done) throw createDamagedError(this.path);
    });
  }

  close(): void {
    this.#pending = [];
    if (this.#database.isOpen) this.#database.close();
  }

  #applySettlement({ range, known, open, items, requests, retries }: BatchSettlement): void {
    const before = this.#batches.get(range.first) ?? NO_EFFORT;
    const parts = [
      ...known.map((part) => ({ ...part, settled: 1 as const })),
      ...open.map((part) => ({ ...part, settled: 0 as const })),
    ];
    // Usually, the outcome of the whole batch replaces its intent.
    if (parts[0]?.first !== range.first) this.#batches.remove(range.first, range.first);
    for (const [at, part] of parts.entries()) {
      const effort = { requests: before.requests + requests, retries: before.retries + retries };
      this.#batches.put({
        ...part,
        sends: before.sends,
        ...(at === 0 ? effort : { requests: 0, retries: 0 }),
      });
    }
    for (const item of items) this.#items.put(toStorable(item));
  }

  #write(steps: readonly (() => void)[], durability: Durability): void {
    const transaction = () => this.#runTransaction(steps);
    try {
      if (durability === 'durable') withFlush(this.#database, transaction);
      else transaction();
    } catch (error) {
      throw createJournalError(this.path, error);
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
      throw createJournalError(this.path, error);
    }
  }

  #read<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      throw createJournalError(this.path, error);
    }
  }
}

function openFacts(database: DatabaseSync, path: string): CheckedTable<FactRow> {
  return new CheckedTable(database, path, 'fact', ['name', 'value']);
}
