import type { DatabaseSync } from 'node:sqlite';
import { rowChecksum } from './row-checksum.ts';

export interface UnsuccessfulRecord {
  readonly at: number;
  readonly id: string;
  readonly line: number | null;
  /** `open`: unknown, in a batch that a resume sends again. */
  readonly status: 'failed' | 'unknown' | 'open';
  readonly message: string | null;
  readonly code: string | null;
}

/** Maximum length of a stored message, to limit the size of the journal. */
const MAX_MESSAGE_LENGTH = 1_000;

const COLUMNS = 'at, id, line, status, message, code, crc';
const PAGE_SIZE = 1_000;

export class UnsuccessfulRecordTable {
  readonly #put;
  readonly #remove;
  readonly #page;
  readonly #counts;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(`insert or replace into item (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`);
    this.#remove = database.prepare('delete from item where at between ? and ?');
    this.#page = database.prepare(`select ${COLUMNS} from item where at >= ? order by at limit ${PAGE_SIZE}`);
    this.#counts = database.prepare('select status, count(*) count from item group by status');
  }

  put(item: UnsuccessfulRecord): void {
    const { at, line, status } = item;
    // SQLite stores UTF-8, which cannot represent lone surrogates.
    const [id, code] = [item.id.toWellFormed(), item.code?.toWellFormed() ?? null];
    const message = item.message?.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() ?? null;
    this.#put.run(at, id, line, status, message, code, rowChecksum(at, id, line, status, message, code));
  }

  remove(first: number, last: number): void {
    this.#remove.run(first, last);
  }

  counts(): Readonly<Partial<Record<UnsuccessfulRecord['status'], number>>> {
    return Object.fromEntries(this.#counts.all().map(({ status, count }) => [status, count]));
  }

  *all(onDamage: () => Error): Generator<UnsuccessfulRecord> {
    for (let next = 0; ; ) {
      const rows = this.#page.all(next);
      for (const row of rows) {
        const { crc, ...item } = row as unknown as UnsuccessfulRecord & { readonly crc: number };
        const { at, id, line, status, message, code } = item;
        if (rowChecksum(at, id, line, status, message, code) !== crc) throw onDamage();
        next = at + 1;
        yield item;
      }
      if (rows.length < PAGE_SIZE) return;
    }
  }
}
