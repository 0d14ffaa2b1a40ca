import type { DatabaseSync } from 'node:sqlite';
import type { WrittenRejects } from '../rejects.ts';
import {
  checkStructure,
  createDatabase,
  damaged,
  flushedToDisk,
  IN_MEMORY,
  journalError,
  openDatabase,
} from './database.ts';
import type { JobDescription } from './description.ts';
import { FactTable } from './facts.ts';
import { type Flight, FlightTable, type Range } from './flights.ts';
import { type Item, ItemTable } from './items.ts';
import type { SavedMetrics } from './metrics.ts';

/** What became of a flight. */
export interface Settlement {
  readonly range: Range;
  /** The parts of it whose outcome is known: most often the whole. */
  readonly known: readonly Range[];
  /** The parts that a resume is to send again. What is in no part counts as never sent. */
  readonly open: readonly Range[];
  /** Its records that did not simply succeed, those of open parts as `open`. */
  readonly items: readonly Item[];
  readonly requests: number;
  readonly retries: number;
}

/** The latest run of a job; times are milliseconds since the epoch. */
export interface JobRun {
  /** How many there were, with it. */
  readonly number: number;
  readonly startedAt: number;
  /** The end, or the last sign of life. */
  readonly endedAt: number;
}

/** What a job may note about itself, by name. */
export interface JobFacts {
  readonly job: JobDescription;
  readonly run: JobRun;
  readonly metrics: SavedMetrics;
  /** Present once everything is done: nothing is left to send, and all files are written. */
  readonly done: { readonly rejects: string | null };
  /** The file of results up to which its lines belong to settled flights. */
  readonly results: { readonly bytes: number };
  readonly rejects: WrittenRejects | null;
}

/** How often each outcome came up, and what it took. */
export interface Counts {
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  /** Records that were sent, and whose outcome is not known or not yet. */
  readonly open: number;
  readonly requests: number;
  readonly retries: number;
}

const NEVER_SENT = { sends: 0, requests: 0, retries: 0 };

/** How a write survives: a killed process loses none; of those that are not `durable`, a crash of the machine may lose the last. */
export type Durability = 'durable' | 'written';

/**
 * What a job is about to send and what became of it, in the file at each moment: an intent is written before its records
 * leave, the outcome after. Outcomes that come between two intents are written together with the second.
 */
export class Journal {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #flights: FlightTable;
  readonly #items: ItemTable;
  readonly #facts: FactTable;
  readonly #begin;
  readonly #commit;
  readonly #rollback;
  #pending: (() => void)[] = [];

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.#flights = new FlightTable(database);
    this.#items = new ItemTable(database);
    this.#facts = new FactTable(database);
    this.#begin = database.prepare('begin immediate');
    this.#commit = database.prepare('commit');
    this.#rollback = database.prepare('rollback');
  }

  /** Begins the journal of a job; without a path it is kept in memory, for a run that nobody would resume. */
  static async create(job: JobDescription, path: string = IN_MEMORY): Promise<Journal> {
    return new Journal(path, await createDatabase(path, (database) => new FactTable(database).put('job', job)));
  }

  /** @throws SvcError `local` when it cannot be used, or is seen to be damaged. */
  static async open(path: string): Promise<Journal> {
    const database = await openDatabase(path);
    try {
      return new Journal(path, database);
    } catch (error) {
      database.close();
      throw journalError(path, error);
    }
  }

  /** Writes down, before it is sent, that a range is sent; and whatever waited to be written. */
  intend(range: Range, durability: Durability = 'written'): void {
    const { sends, requests, retries } = this.#read(() => this.#flights.at(range.first)) ?? NEVER_SENT;
    const flight = { ...range, settled: false, sends: sends + 1, requests, retries };
    const put = () => {
      this.#flights.put(flight);
      if (sends > 0) this.#items.remove(range.first, range.last);
    };
    this.#write([...this.#pending, put], durability);
    this.#pending = [];
  }

  /** Takes an outcome; it is in the file after the next `intend` or `flush`. */
  settle(settlement: Settlement): void {
    this.#pending.push(() => this.#settle(settlement));
  }

  /** Takes a fact; it is in the file after the next `intend` or `flush`. */
  note<Name extends keyof JobFacts>(name: Name, fact: JobFacts[Name]): void {
    this.#pending.push(() => this.#facts.put(name, fact));
  }

  fact<Name extends keyof JobFacts>(name: Name): JobFacts[Name] | undefined {
    return this.#read(() => this.#facts.get(name, this.#damaged) as JobFacts[Name] | undefined);
  }

  flush(durability: Durability = 'written'): void {
    if (this.#pending.length === 0) return;
    this.#write(this.#pending, durability);
    this.#pending = [];
  }

  /** The flights in order. Those behind the last one taken may be written meanwhile. */
  flights(): Generator<Flight> {
    return this.#each(this.#flights.all(this.#damaged));
  }

  /** The records that did not simply succeed, in order. */
  items(): Generator<Item> {
    return this.#each(this.#items.all(this.#damaged));
  }

  counts(): Counts {
    return this.#read(() => {
      const { settled, ...sums } = this.#flights.sums();
      const { failed = 0, unknown = 0 } = this.#items.counts();
      return { succeeded: settled - failed - unknown, failed, unknown, ...sums };
    });
  }

  /**
   * Looks at every part of it before a resume relies on it.
   * @throws SvcError `local` when anything is not as it was written
   */
  verify(): void {
    checkStructure(this.#database, this.path);
    this.#read(() => {
      const items = this.items();
      let item = items.next();
      for (const { first, last, count, settled } of this.flights()) {
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

  /** What was not flushed is given up. */
  close(): void {
    this.#pending = [];
    this.#database.close();
  }

  #settle({ range, known, open, items, requests, retries }: Settlement): void {
    const before = this.#flights.at(range.first) ?? NEVER_SENT;
    this.#flights.remove(range.first);
    const parts = [
      ...known.map((part) => ({ ...part, settled: true })),
      ...open.map((part) => ({ ...part, settled: false })),
    ];
    for (const [at, part] of parts.entries()) {
      const took = { requests: before.requests + requests, retries: before.retries + retries };
      this.#flights.put({ ...part, sends: before.sends, ...(at === 0 ? took : { requests: 0, retries: 0 }) });
    }
    for (const item of items) this.#items.put(item);
  }

  #write(steps: readonly (() => void)[], durability: Durability): void {
    const transaction = () => this.#transact(steps);
    try {
      if (durability === 'durable') flushedToDisk(this.#database, transaction);
      else transaction();
    } catch (error) {
      throw journalError(this.path, error);
    }
  }

  #transact(steps: readonly (() => void)[]): void {
    try {
      this.#begin.run();
      for (const step of steps) step();
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#rollback.run();
      throw error;
    }
  }

  *#each<Row>(rows: Generator<Row>): Generator<Row> {
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

  readonly #damaged = () => damaged(this.path);
}
