import { isObject } from '../../kernel/json.ts';
import { PlainScalar } from './plain-scalar.ts';
import {
  InputError,
  type Position,
  type RecordChunk,
  type Source,
  type SourceRecord,
} from './source.ts';

/** Text fields that all records of a file share. */
export type SharedFields = ReadonlyMap<string, string>;

interface SharedFieldConflict {
  readonly field: string;
  /** The value of the record. */
  readonly value: unknown;
  /** The value that all records share. */
  readonly expected: string;
}

/** A record contradicts a field that the file sets for all records. */
export class SharedFieldError extends InputError {
  readonly conflict: SharedFieldConflict & { readonly message: string };

  constructor(name: string, position: Position, conflict: SharedFieldConflict) {
    const { field, value, expected } = conflict;
    const message = `'${String(value)}' differs from '${expected}', which the file sets for all records`;
    super(name, position, `${field}: ${message}`);
    this.conflict = { ...conflict, message };
  }
}

/** A class, because a getter of a literal would give each record a hidden class of its own. */
class CompletedRecord implements SourceRecord {
  readonly line: number;
  readonly column: number;
  readonly #original: SourceRecord;
  readonly #format: RecordFormat;

  constructor(original: SourceRecord, format: RecordFormat) {
    this.line = original.line;
    this.column = original.column;
    this.#original = original;
    this.#format = format;
  }

  get value(): unknown {
    const { shared, name, id } = this.#format;
    const { value } = this.#original;
    if (value instanceof PlainScalar || (!isObject(value) && !Array.isArray(value)))
      return id === undefined ? value : { ...Object.fromEntries(shared), [id]: value };
    if (!isObject(value)) return value;
    const own = Object.entries(value).filter(([field, inner]) => {
      const expected = shared.get(field);
      if (expected === undefined) return true;
      const text = inner instanceof PlainScalar ? inner.text : inner;
      if (text === expected || text === null) return false;
      throw new SharedFieldError(name, this, { field, value: text, expected });
    });
    return Object.fromEntries([...shared, ...own]);
  }

  /** Contains the shared fields, so that the text can be sent again without its file. */
  get text(): string {
    try {
      return this.#format.formatText(this.value);
    } catch (error) {
      if (error instanceof InputError) return this.#original.text;
      throw error;
    }
  }
}

interface RecordFormat {
  readonly shared: SharedFields;
  readonly name: string;
  readonly formatText: (value: unknown) => string;
  /** The field of a record that is only an ID. Undefined if records must be objects. */
  readonly id: string | undefined;
}

/** Wraps a source so that each of its records has the shared fields. */
export function withSharedFields(
  source: Source,
  shared: SharedFields,
  { formatText, id }: Pick<RecordFormat, 'formatText' | 'id'>,
): Source {
  const format = { shared, name: source.name, formatText, id };
  async function* completeChunks(): AsyncGenerator<RecordChunk> {
    for await (const chunk of source.recordChunks)
      yield chunk.map((record) => new CompletedRecord(record, format));
  }
  return { ...source, isVerbatim: false, recordChunks: completeChunks() };
}
