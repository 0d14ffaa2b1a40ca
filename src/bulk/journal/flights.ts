import type { DatabaseSync } from 'node:sqlite';
import { rowCheck } from './row-check.ts';

/** Consecutive records that are sent in one request. Both ends count; records left out of the job may lie between. */
export interface Range {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** A range whose sending was begun: it is written down before it is sent. */
export interface Flight extends Range {
  /** What became of each of its records is known. */
  readonly settled: boolean;
  /** Runs that sent it. */
  readonly sends: number;
  readonly requests: number;
  readonly retries: number;
}

/** What flights add up to: records of settled and of other ones, and requests. */
export interface FlightSums {
  readonly settled: number;
  readonly open: number;
  readonly requests: number;
  readonly retries: number;
}

const COLUMNS = 'first, last, count, settled, sends, requests, retries, crc';
const PAGE = 1_000;

/** The flights of a job by their first record. No two of them overlap. */
export class FlightTable {
  readonly #put;
  readonly #remove;
  readonly #page;
  readonly #at;
  readonly #sums;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(`insert or replace into flight (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#remove = database.prepare('delete from flight where first = ?');
    this.#page = database.prepare(`select ${COLUMNS} from flight where first >= ? order by first limit ${PAGE}`);
    this.#at = database.prepare('select sends, requests, retries from flight where first = ?');
    this.#sums = database.prepare(
      `select coalesce(sum(count) filter (where settled = 1), 0) settled,
       coalesce(sum(count) filter (where settled = 0), 0) open,
       coalesce(sum(requests), 0) requests, coalesce(sum(retries), 0) retries from flight`,
    );
  }

  put({ first, last, count, settled, sends, requests, retries }: Flight): void {
    const state = settled ? 1 : 0;
    const crc = rowCheck(first, last, count, state, sends, requests, retries);
    this.#put.run(first, last, count, state, sends, requests, retries, crc);
  }

  /** What the flight that begins with a record took, if there is one. */
  at(first: number): Pick<Flight, 'sends' | 'requests' | 'retries'> | undefined {
    return this.#at.get(first) as unknown as Pick<Flight, 'sends' | 'requests' | 'retries'> | undefined;
  }

  remove(first: number): void {
    this.#remove.run(first);
  }

  sums(): FlightSums {
    return this.#sums.get() as unknown as FlightSums;
  }

  /** In order, read in parts, so that flights may be written meanwhile. Ends with an error at a damaged one. */
  *all(onDamage: () => Error): Generator<Flight> {
    for (let next = 0; ; ) {
      const rows = this.#page.all(next);
      for (const row of rows) {
        const flight = flightOf(row as unknown as Row);
        if (!flight || flight.first < next) throw onDamage();
        next = flight.last + 1;
        yield flight;
      }
      if (rows.length < PAGE) return;
    }
  }
}

interface Row extends Range {
  readonly settled: number;
  readonly sends: number;
  readonly requests: number;
  readonly retries: number;
  readonly crc: number;
}

function flightOf({ first, last, count, settled, sends, requests, retries, crc }: Row): Flight | undefined {
  const sound = rowCheck(first, last, count, settled, sends, requests, retries) === crc;
  if (!sound || count < 1 || last - first + 1 < count) return undefined;
  return { first, last, count, settled: settled === 1, sends, requests, retries };
}
