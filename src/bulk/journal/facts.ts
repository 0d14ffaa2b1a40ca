import type { DatabaseSync } from 'node:sqlite';
import { rowChecksum } from './row-checksum.ts';

export class FactTable {
  readonly #put;
  readonly #get;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare('insert or replace into fact (name, value, crc) values (?, ?, ?)');
    this.#get = database.prepare('select value, crc from fact where name = ?');
  }

  put(name: string, fact: unknown): void {
    const value = JSON.stringify(fact);
    this.#put.run(name, value, rowChecksum(name, value));
  }

  /** Returns a value, or `undefined` if it does not exist. Throws if the row is damaged. */
  get(name: string, onDamage: () => Error): unknown {
    const row = this.#get.get(name) as { readonly value: string; readonly crc: number } | undefined;
    if (!row) return undefined;
    if (rowChecksum(name, row.value) !== row.crc) throw onDamage();
    return JSON.parse(row.value);
  }
}
