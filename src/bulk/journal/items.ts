import type { DatabaseSync } from 'node:sqlite';
import { rowCheck } from './row-check.ts';

/** A record that did not simply succeed. */
export interface Item {
  /** The record's index. */
  readonly at: number;
  readonly id: string;
  readonly line: number | null;
  /** `open`: unknown, in a flight that a resume sends again. */
  readonly status: 'failed' | 'unknown' | 'open';
  readonly message: string | null;
  readonly code: string | null;
}

/** Longer messages are cut: a journal is no copy of what a service says. */
const LONGEST_MESSAGE = 1_000;

const COLUMNS = 'at, id, line, status, message, code, crc';
const PAGE = 1_000;

/** The records of settled flights that did not simply succeed, by their index. */
export class ItemTable {
  readonly #put;
  readonly #remove;
  readonly #page;
  readonly #counts;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(`insert or replace into item (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`);
    this.#remove = database.prepare('delete from item where at between ? and ?');
    this.#page = database.prepare(`select ${COLUMNS} from item where at >= ? order by at limit ${PAGE}`);
    this.#counts = database.prepare('select status, count(*) count from item group by status');
  }

  put(item: Item): void {
    const { at, line, status } = item;
    // SQLite keeps UTF-8, in which half a character has no place.
    const [id, code] = [item.id.toWellFormed(), item.code?.toWellFormed() ?? null];
    const message = item.message?.slice(0, LONGEST_MESSAGE).toWellFormed() ?? null;
    this.#put.run(at, id, line, status, message, code, rowCheck(at, id, line, status, message, code));
  }

  remove(first: number, last: number): void {
    this.#remove.run(first, last);
  }

  counts(): Readonly<Partial<Record<Item['status'], number>>> {
    return Object.fromEntries(this.#counts.all().map(({ status, count }) => [status, count]));
  }

  /** In order, read in parts. Ends with an error at a damaged one. */
  *all(onDamage: () => Error): Generator<Item> {
    for (let next = 0; ; ) {
      const rows = this.#page.all(next);
      for (const row of rows) {
        const { crc, ...item } = row as unknown as Item & { readonly crc: number };
        const { at, id, line, status, message, code } = item;
        if (rowCheck(at, id, line, status, message, code) !== crc) throw onDamage();
        next = at + 1;
        yield item;
      }
      if (rows.length < PAGE) return;
    }
  }
}
