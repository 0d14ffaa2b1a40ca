import { measureJson } from '../../kernel/json-nesting.ts';
import { parseLosslessJson } from '../../kernel/json-problem.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { InputError, type Position, positionWithin, type SourceRecord } from './source.ts';
import type { TextSegment } from './text-segment.ts';

/** More in one record would take minutes and gigabytes to check. */
const [MAX_FIELDS, MAX_VALUES] = [100_000, 1_000_000];
/** A shorter text cannot contain more than `MAX_FIELDS`: each takes five characters. */
const MIN_FLOOD_CHARACTERS = 5 * MAX_FIELDS;

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

  get isPlain(): boolean {
    return this.#segment.isPlain;
  }

  get text(): string {
    return this.#segment.text.slice(this.#from, this.#to);
  }

  /** @throws SvcError `invalid_input` as `parseJson` does, and for too many fields or values */
  get value(): unknown {
    const { text } = this;
    const { name } = this.#segment;
    if (text.length > MIN_FLOOD_CHARACTERS) requireFewValues(text, name, this);
    return parseJson(text, name, this);
  }
}

function requireFewValues(text: string, name: string, position: Position): void {
  const { tokens, colons } = measureJson(text);
  const [limit, found] = colons > MAX_FIELDS ? [MAX_FIELDS, 'fields'] : [MAX_VALUES, 'values'];
  if (found === 'values' && tokens <= MAX_VALUES) return;
  throw new InputError(
    name,
    position,
    `the record has more than ${groupDigits(limit)} ${found}`,
    'write each record as a separate object',
  );
}

/**
 * Parses JSON text that starts at `position` in the input.
 * @throws SvcError `invalid_input`, with the line and column, if the text is not valid JSON, is nested
 * too deeply, or contains a number that is too large or a whole number that would lose precision
 */
export function parseJson(text: string, name: string, position: Position): unknown {
  const { value, problem } = parseLosslessJson(text);
  if (problem) {
    const at = positionWithin(text, problem.offset, position);
    throw new InputError(name, at, problem.problem, problem.hint);
  }
  return value;
}
