import { parseJson } from './parse-json.ts';
import type { Position, SourceRecord } from './source.ts';

export interface TextSegment {
  readonly name: string;
  readonly text: string;
}

export interface TextRange {
  readonly from: number;
  readonly to: number;
}

export class JsonRecord implements SourceRecord {
  readonly line: number;
  readonly column: number;
  readonly #segment: TextSegment;
  readonly #from: number;
  readonly #to: number;

  constructor(segment: TextSegment, { from, to }: TextRange, { line, column }: Position) {
    this.#segment = segment;
    this.#from = from;
    this.#to = to;
    this.line = line;
    this.column = column;
  }

  get isEmpty(): boolean {
    return this.#from === this.#to;
  }

  get text(): string {
    return this.#segment.text.slice(this.#from, this.#to);
  }

  /** @throws SvcError `invalid_input` as `parseJson` does */
  get value(): unknown {
    return parseJson(this.text, this.#segment.name, this);
  }
}
