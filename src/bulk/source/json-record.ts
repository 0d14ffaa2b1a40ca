import { parseJson } from './json-text.ts';
import type { Place, SourceRecord } from './record.ts';

/** A piece of an input that holds whole records. */
export interface Stretch {
  /** The input's. */
  readonly name: string;
  readonly text: string;
}

/** Where a record stands in a stretch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A record whose text is JSON. It is cut out and parsed when it is asked for, each time anew. */
export class JsonRecord implements SourceRecord {
  readonly line: number;
  readonly column: number;
  readonly #around: Stretch;
  readonly #from: number;
  readonly #to: number;

  constructor(around: Stretch, { from, to }: Span, { line, column }: Place) {
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
    return this.#around.text.slice(this.#from, this.#to);
  }

  /** @throws SvcError `bad_data` as `parseJson` does */
  get value(): unknown {
    return parseJson(this.text, this.#around.name, this);
  }
}
