import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { createDamagedError } from './database.ts';

const PAGE_SIZE = 1_000;

/**
 * A table of the journal at `path` whose rows end with a checksum. The first column is the key.
 * Throws at a damaged row.
 */
export class CheckedTable<Row extends object> {
  readonly #path: string;
  readonly #columns: readonly (keyof Row & string)[];
  readonly #put;
  readonly #get;
  readonly #page;
  readonly #remove;

  constructor(
    database: DatabaseSync,
    path: string,
    name: string,
    columns: readonly (keyof Row & string)[],
  ) {
    this.#path = path;
    this.#columns = columns;
    const [key] = columns;
    const all = [...columns, 'crc'];
    this.#put = database.prepare(
      `insert or replace into ${name} (${all}) values (${all.map(() => '?')})`,
    );
    this.#get = database.prepare(`select ${all} from ${name} where ${key} = ?`);
    this.#page = database.prepare(
      `select ${all} from ${name} where ${key} >= ? order by ${key} limit ${PAGE_SIZE}`,
    );
    this.#remove = database.prepare(`delete from ${name} where ${key} between ? and ?`);
  }

  put(row: Row): void {
    const values = this.#columns.map((column) => row[column] as SQLInputValue);
    this.#put.run(...values, checksumOf(values));
  }

  get(key: SQLInputValue): Row | undefined {
    const row = this.#get.get(key);
    return row && this.#check(row);
  }

  remove(first: number, last: number): void {
    this.#remove.run(first, last);
  }

  *rows(): Generator<Row> {
    for (let next = 0; ; ) {
      const rows = this.#page.all(next);
      for (const row of rows) {
        next = Number(Object.values(row)[0]) + 1;
        yield this.#check(row);
      }
      if (rows.length < PAGE_SIZE) return;
    }
  }

  #check({ crc, ...row }: Readonly<Record<string, unknown>>): Row {
    if (checksumOf(this.#columns.map((column) => row[column])) !== crc)
      throw createDamagedError(this.#path);
    return row as Row;
  }
}

function checksumOf(values: readonly unknown[]): number {
  return crc32(JSON.stringify(values));
}
