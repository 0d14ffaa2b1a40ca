import { parseJson } from './json-text.ts';
import type { SourceRecord } from './record.ts';

/** A record whose text is JSON. It is cut out and parsed when it is asked for, each time anew. */
export class JsonRecord implements SourceRecord {
  readonly line: number;
  readonly column: number;
  readonly #name: string;
  /** A stretch of the input that holds the record. */
  readonly #around: string;
  readonly #from: number;
  readonly #to: number;

  constructor(name: string, around: string, from: number, to: number, line: number, column: number) {
    this.#name = name;
    this.#around = around;
    this.#from = from;
    this.#to = to;
    this.line = line;
    this.column = column;
  }

  get isEmpty(): boolean {
    return this.#from === this.#to;
  }

  get text(): string {
    return this.#around.slice(this.#from, this.#to);
  }

  /** @throws SvcError `bad_data` as `parseJson` does */
  get value(): unknown {
    return parseJson(this.text, this.#name, this);
  }
}
