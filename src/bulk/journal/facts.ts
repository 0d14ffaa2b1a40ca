import type { DatabaseSync } from 'node:sqlite';
import { rowCheck } from './row-check.ts';

/** Values by name, as JSON. */
export class FactTable {
  readonly #put;
  readonly #get;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare('insert or replace into fact (name, value, crc) values (?, ?, ?)');
    this.#get = database.prepare('select value, crc from fact where name = ?');
  }

  put(name: string, fact: unknown): void {
    const value = JSON.stringify(fact);
    this.#put.run(name, value, rowCheck(name, value));
  }

  /** Undefined where there is none. Ends with an error when it is damaged. */
  get(name: string, onDamage: () => Error): unknown {
    const row = this.#get.get(name) as { readonly value: string; readonly crc: number } | undefined;
    if (!row) return undefined;
    if (rowCheck(name, row.value) !== row.crc) throw onDamage();
    return JSON.parse(row.value);
  }
}
