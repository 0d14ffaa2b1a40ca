import type { DatabaseSync } from 'node:sqlite';
import { rowChecksum } from './row-checksum.ts';

/** Consecutive records of a batch, from `first` to `last` inclusive. The range may contain skipped records. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface SentBatch extends RecordRange {
  readonly settled: boolean;
  readonly sends: number;
  readonly requests: number;
  readonly retries: number;
}

const COLUMNS = 'first, last, count, settled, sends, requests, retries, crc';
const PAGE_SIZE = 1_000;

/** The table of sent batches, by the index of the first record. Batches do not overlap. */
export class SentBatchTable {
  readonly #put;
  readonly #remove;
  readonly #page;
  readonly #at;
  readonly #sums;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(`insert or replace into flight (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#remove = database.prepare('delete from flight where first = ?');
    this.#page = database.prepare(`select ${COLUMNS} from flight where first >= ? order by first limit ${PAGE_SIZE}`);
    this.#at = database.prepare('select sends, requests, retries from flight where first = ?');
    this.#sums = database.prepare(
      `select coalesce(sum(count) filter (where settled = 1), 0) settled,
       coalesce(sum(count) filter (where settled = 0), 0) open,
       coalesce(sum(requests), 0) requests, coalesce(sum(retries), 0) retries from flight`,
    );
  }

  put({ first, last, count, settled, sends, requests, retries }: SentBatch): void {
    const state = settled ? 1 : 0;
    const crc = rowChecksum(first, last, count, state, sends, requests, retries);
    this.#put.run(first, last, count, state, sends, requests, retries, crc);
  }

  effortAt(first: number): Pick<SentBatch, 'sends' | 'requests' | 'retries'> | undefined {
    return this.#at.get(first) as unknown as Pick<SentBatch, 'sends' | 'requests' | 'retries'> | undefined;
  }

  remove(first: number): void {
    this.#remove.run(first);
  }

  totals(): Readonly<Record<'settled' | 'open' | 'requests' | 'retries', number>> {
    return this.#sums.get() as unknown as ReturnType<typeof this.totals>;
  }

  /** Reads the batches in order, page by page, so that writes may happen in between. Throws at a damaged row. */
  *all(onDamage: () => Error): Generator<SentBatch> {
    for (let next = 0; ; ) {
      const rows = this.#page.all(next);
      for (const row of rows) {
        const batch = parseRow(row as unknown as BatchRow);
        if (!batch || batch.first < next) throw onDamage();
        next = batch.last + 1;
        yield batch;
      }
      if (rows.length < PAGE_SIZE) return;
    }
  }
}

type BatchRow = Omit<SentBatch, 'settled'> & { readonly settled: number; readonly crc: number };

function parseRow({ crc, ...row }: BatchRow): SentBatch | undefined {
  const { first, last, count, settled, sends, requests, retries } = row;
  const isIntact = rowChecksum(first, last, count, settled, sends, requests, retries) === crc;
  return isIntact && count >= 1 && last - first + 1 >= count ? { ...row, settled: settled === 1 } : undefined;
}
